/** The member by which a facade tells what it stands for: to the server only, since a client gets nothing from it. */
export const OWN = '~own';

let found: object | undefined;

/** Called by the facade that is asked. */
export function noteOwn(target: object): void {
  found = target;
}

/** Returns what of our own stands behind a reference that has come back; undefined where that is not known. */
export function ownOf(reference: object): object | undefined {
  found = undefined;
  const asked = (reference as Record<string, () => PromiseLike<unknown> & Disposable>)[OWN]();
  // A facade that is there is asked at once; what it answers to the call is nothing.
  asked.then(
    () => {},
    () => {},
  );
  const own = found;
  found = undefined;
  return own;
}
