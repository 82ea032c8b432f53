import { RpcError } from '../errors/rpc-error.ts';
import type { RpcLimits } from '../session/limits.ts';
import { namesOf } from './expression.ts';

/** The longest list that a connection has seen: what a callback inside a callback may have to go through. */
export interface LongestList {
  length: number;
}

/**
 * Bounds what callbacks of `map` come to in one message. Cap'n Web's session goes through the list of a callback's instructions
 * once for each element, and copies all but the last of them by `slice`: that is where it is counted. Callbacks inside
 * callbacks are copied with them, so that each is counted as for the longest list there is.
 */
export class MapBudget {
  readonly #limits: Readonly<RpcLimits>;
  readonly #longest: LongestList;
  #spent = 0;

  constructor(limits: Readonly<RpcLimits>, longest: LongestList) {
    this.#limits = limits;
    this.#longest = longest;
  }

  /** Has a callback stop where it exceeds what is left. */
  bound(instructions: unknown[]): void {
    const sizes: number[] = [];
    measure(instructions, 0, sizes);
    const { maxMapOperations, maxMapElements } = this.#limits;
    let elements = 0;
    const slice = (...range: [number?, number?]): unknown[] => {
      this.#spent += sizes.reduce((sum, size, depth) => sum + size * Math.max(this.#longest.length, 1) ** depth, 0);
      if (++elements > maxMapElements) throw exceeded('maxMapElements', maxMapElements);
      if (this.#spent > maxMapOperations) throw exceeded('maxMapOperations', maxMapOperations);
      return Array.prototype.slice.apply(instructions, range);
    };
    // Not among its keys: it must not be copied with the list.
    Object.defineProperty(instructions, 'slice', { value: slice });
  }
}

/** Adds up how much there is to be run and copied, by how many callbacks it is inside of. */
function measure(value: unknown, depth: number, sizes: number[]): void {
  const add = (size: number) => {
    sizes[depth] = (sizes[depth] ?? 0) + size;
  };
  if (typeof value === 'string') return add(value.length / 100);
  if (typeof value !== 'object' || value === null) return add(0.1);
  add(1);
  const isMapper = Array.isArray(value) && value[0] === 'remap';
  if (isMapper || (Array.isArray(value) && value[0] === 'pipeline')) add(namesOf(value[2]));
  for (const [key, each] of Object.entries(value)) measure(each, isMapper && key === '4' ? depth + 1 : depth, sizes);
}

function exceeded(name: string, limit: number): RpcError {
  return new RpcError('LIMIT_EXCEEDED', `${name} of ${limit} exceeded: map fewer elements`);
}
