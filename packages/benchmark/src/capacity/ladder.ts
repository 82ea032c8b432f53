import type { Rung } from './load/rung.ts';

/** How the knee is looked for. */
export interface LadderOptions {
  /** The first load, in calls per second. */
  readonly start: number;
  /** Upwards, each load is this many times the one before; downwards it goes by two such steps, as what is beyond capacity takes long. */
  readonly step: number;
  /** The search ends where first overload is at most this many times the knee. */
  readonly precision: number;
  readonly maxRungs: number;
}

/** The part of a rung by which a ladder decides. */
type Judged = Pick<Rung, 'offeredPerSecond' | 'reasons'>;

/** What a ladder found; without a knee no load was within capacity, without an overload none was beyond it. */
export interface Knee<Each extends Judged = Rung> {
  readonly knee?: Each;
  readonly firstOverload?: Each;
}

/**
 * Looks for the knee: from `start` upwards as long as loads are within capacity, downwards as long as they are not, and
 * then by bisection, in ratios, between the highest load within and the lowest beyond. A load whose only failing was a
 * p99 is tried once more, because a single pause of the machine makes one of a short rung; two in a row do not come
 * by chance.
 */
export class Ladder<Each extends Judged = Rung> {
  readonly #options: LadderOptions;
  readonly rungs: Each[] = [];
  #knee: Each | undefined;
  #overload: Each | undefined;
  #doubtful: Each | undefined;

  constructor(options: LadderOptions) {
    this.#options = options;
  }

  /** The next load to offer; `undefined` when the search has ended. */
  next(): number | undefined {
    const { start, step, precision, maxRungs } = this.#options;
    if (this.rungs.length >= maxRungs) return undefined;
    if (this.#doubtful) return this.#doubtful.offeredPerSecond;
    const low = this.#knee?.offeredPerSecond;
    const high = this.#overload?.offeredPerSecond;
    if (low === undefined) return rate(high === undefined ? start : high / step ** 2);
    if (high === undefined) return rate(low * step);
    if (high / low <= precision) return undefined;
    return rate(Math.sqrt(low * high));
  }

  record(rung: Each): void {
    this.rungs.push(rung);
    const again = this.#doubtful !== undefined;
    this.#doubtful = undefined;
    if (rung.reasons.length === 0) this.#knee = rung;
    else if (!again && this.rungs.length < this.#options.maxRungs && isDoubtful(rung)) this.#doubtful = rung;
    else this.#overload = rung;
  }

  get found(): Knee<Each> {
    return {
      ...(this.#knee && { knee: this.#knee }),
      ...(this.#overload && { firstOverload: this.#overload }),
    };
  }
}

function isDoubtful({ reasons }: Judged): boolean {
  return reasons.includes('p99') && !reasons.includes('backlog') && !reasons.includes('errors');
}

/** More than three digits of a load say nothing; of a low one fewer are left, or two loads would be the same. */
function rate(perSecond: number): number {
  return Number(perSecond.toPrecision(3));
}
