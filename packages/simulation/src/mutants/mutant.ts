import type { Patch } from '../loading/sources.ts';

/** A defect to plant in the library: one piece of one of its source files is replaced. */
export interface Mutant extends Patch {
  /** The name, which says what goes wrong. */
  readonly name: string;
  /** Why no program can find the defect, if that is known. */
  readonly unfound?: string;
}
