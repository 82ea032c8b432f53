import type { Patch } from '../loading/sources.ts';

/** A defect to plant in the library: one piece of one of its source files is replaced. */
export interface Mutant extends Patch {
  /** The name, which says what goes wrong. */
  readonly name: string;
  /** Why no program can find the defect, if that is known. */
  readonly unfound?: string;
}

/** Makes the defects of a file of the library, each of its name, of what it replaces, and by what. */
export function inFile(
  file: string,
  defects: readonly (readonly [name: string, find: string, replace: string])[],
): Mutant[] {
  return defects.map(([name, find, replace]) => ({ name, file: `packages/rpc/src/${file}`, find, replace }));
}
