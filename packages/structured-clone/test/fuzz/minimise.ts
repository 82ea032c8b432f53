import type { FuzzCase } from './cases.ts';

/** Whether a smaller case still fails in the same way. */
type StillFails = (fuzzCase: FuzzCase) => Promise<boolean>;

/**
 * Makes a failing case smaller while it fails in the same way: takes out ever smaller parts, then makes zeros of what
 * is left. Stops after `milliseconds`, with the smallest so far.
 */
export async function minimise(original: FuzzCase, stillFails: StillFails, milliseconds: number): Promise<FuzzCase> {
  const deadline = performance.now() + milliseconds;
  let smallest = original;

  /** Shortens what `read` takes from the case and `write` puts into it. */
  async function shorten<Unit>(
    read: (fuzzCase: FuzzCase) => readonly Unit[],
    write: (units: readonly Unit[]) => FuzzCase,
    zero?: Unit,
  ): Promise<void> {
    const attempt = async (units: readonly Unit[]) => {
      if (performance.now() > deadline || !(await stillFails(write(units)))) return false;
      smallest = write(units);
      return true;
    };
    for (let size = Math.ceil(read(smallest).length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let at = 0; at < read(smallest).length; ) {
        const units = read(smallest);
        if (!(await attempt([...units.slice(0, at), ...units.slice(at + size)]))) at += size;
      }
    }
    if (zero === undefined) return;
    for (let at = 0; at < read(smallest).length; at++) {
      const units = read(smallest);
      if (units[at] !== zero) await attempt(units.with(at, zero));
    }
  }

  for (let length = Number.POSITIVE_INFINITY; smallest.input.length < length; ) {
    length = smallest.input.length;
    const { mode, form } = smallest;
    if (form === 'text') {
      await shorten(
        ({ input }) => [...(input as string)],
        (units) => ({ mode, form: 'text', input: units.join('') }),
      );
      continue;
    }
    const bytesOf = ({ input }: FuzzCase) => input as Uint8Array;
    const asCase = (input: Uint8Array): FuzzCase => ({ mode, form, input });
    await shorten(
      (fuzzCase) => [...bytesOf(fuzzCase)],
      (units) => asCase(Uint8Array.from(units)),
      0,
    );
  }
  return smallest;
}
