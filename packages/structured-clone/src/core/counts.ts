import { checkLimit, type Limits, resolveLimits } from './limits.ts';

/** What is counted of one value, the same while it is written and while it is read: what can be sent can be received. */
export class Counts<Options extends { readonly limits?: Partial<Limits> }> {
  /** What the user asks for. */
  readonly options: Options;
  /** The user's, and the defaults of others. */
  readonly limits: Readonly<Limits>;
  /** What the objects of the value count as together. */
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
