/** A defect to plant in the library: one piece of one of its source files is replaced. */
export interface Mutant {
  /** Says what goes wrong. */
  readonly name: string;
  /** The source file, below `packages/rpc/src`. */
  readonly file: string;
  /** What is replaced: it occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Why no program can find it, where that is known. */
  readonly unfound?: string;
}
