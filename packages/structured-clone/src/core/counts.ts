import { checkLimit, type Limits, resolveLimits } from './limits.ts';

/**
 * Counts the objects and holes of one value. Encoding and decoding count alike, so a value that can be sent can be
 * received.
 */
export class Counts<Options extends { readonly limits?: Partial<Limits> }> {
  /** The options given by the user. */
  readonly options: Options;
  /** The user's limits, completed with the defaults. */
  readonly limits: Readonly<Limits>;
  /** The weight of all objects of the value. */
  weight = 0;
  protected depth = 0;
  /** The number of holes in all arrays of the value. */
  holes = 0;

  constructor(options: Options, limits = resolveLimits(options.limits)) {
    this.options = options;
    this.limits = limits;
  }

  /** Adds the weight of one object at the current depth. Throws if `maxDepth` or `maxObjects` is exceeded. */
  count(weight: number): void {
    this.weight += weight;
    checkLimit('maxDepth', this.depth, this.limits);
    checkLimit('maxObjects', this.weight, this.limits);
  }
}
