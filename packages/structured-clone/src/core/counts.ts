import { checkLimit, type Limits, resolveLimits } from './limits.ts';

/** Counts of one value, the same for writing and reading: what can be sent can be received. */
export class Counts<Options extends { readonly limits?: Partial<Limits> }> {
  /** Options that the user gave. */
  readonly options: Options;
  /** The user's, and the defaults of others. */
  readonly limits: Readonly<Limits>;
  /** Weight of all objects of the value. */
  weight = 0;
  protected depth = 0;
  /** Holes in all its arrays. */
  holes = 0;

  constructor(options: Options, limits = resolveLimits(options.limits)) {
    this.options = options;
    this.limits = limits;
  }

  /** Counts one object, at the depth that it has, as so many. */
  protected count(weight: number): void {
    this.weight += weight;
    checkLimit('maxDepth', this.depth, this.limits);
    checkLimit('maxObjects', this.weight, this.limits);
  }
}
