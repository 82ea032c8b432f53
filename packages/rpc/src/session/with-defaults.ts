/** Fills in the defaults of what was left out; what is undefined is not given: no number would be over such a limit. */
export function withDefaults<Defaults extends object, Given extends object>(
  defaults: Defaults,
  given: Given | undefined,
): Given & Defaults {
  if (given === undefined) return defaults as Given & Defaults;
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(entries) } as Given & Defaults;
}
