/** What a visitor is called who has not said a name. */
export const GUEST = 'Guest';

/** How long a name may be, in UTF-16 units. */
export const MAX_NAME_LENGTH = 30;

/** Who calls: the name that a visitor chose, which nobody checks; undefined, which denies, where it is none that can be shown. */
export function callerName(token: string | undefined): string | undefined {
  const name = (token ?? GUEST).trim();
  // Control and format characters would let a name look like another, or turn the text beside it around.
  const canBeShown = name !== '' && name.length <= MAX_NAME_LENGTH && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name);
  return canBeShown ? name : undefined;
}
