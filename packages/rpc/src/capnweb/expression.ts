import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import { MAX_PATH } from '../protocol/address.ts';
import { malformedFrame } from '../protocol/errors.ts';
import type { RpcLimits } from '../session/limits.ts';

/** Depth that Cap'n Web itself reads at most, by its default. */
const MAX_DEPTH = 256;

/** The operations and references of an expression of Cap'n Web's protocol. */
export interface Asked {
  /** Calls, and names that are read. */
  operations: number;
  /** Ids of what the client has and passes by reference. */
  readonly references: Set<number>;
  /** The instructions of callbacks of `map` that it holds: the lists in the message itself. */
  readonly mappers: unknown[][];
}

/** Looks through an expression, in the places where the protocol has expressions in it. */
export function lookThrough(expression: unknown): Asked {
  const asked: Asked = { operations: 0, references: new Set(), mappers: [] };
  visit(expression, asked, 0);
  return asked;
}

function visit(value: unknown, asked: Asked, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw malformedFrame(`values nested deeper than ${MAX_DEPTH}`);
  const visitAll = (values: unknown) => {
    if (Array.isArray(values)) for (const each of values) visit(each, asked, depth + 1);
  };
  if (!Array.isArray(value)) return visitAll(Object.values(value));
  // A list is written as a list in a list of one.
  if (value.length === 1 && Array.isArray(value[0])) return visitAll(value[0]);
  switch (value[0]) {
    case 'import':
    case 'pipeline':
    case 'remap':
      asked.operations += Math.max(namesOf(value[2]), 1);
      if (value[0] === 'remap' && Array.isArray(value[4])) asked.mappers.push(value[4]);
      return visitAll(value[3]);
    case 'export':
    case 'promise':
    case 'writable':
      if (typeof value[1] === 'number') asked.references.add(value[1]);
      return;
    case 'error':
      return visit(value[4], asked, depth + 1);
    case 'response':
      return visit(value[1], asked, depth + 1);
    case 'request':
    case 'blob':
      return visit(value[2], asked, depth + 1);
    default:
  }
}

/** Counts the names of a path, each of which may run a getter. @throws {RpcError} `MALFORMED_FRAME` where there are too many */
function namesOf(path: unknown): number {
  if (!Array.isArray(path)) return 0;
  if (path.length > MAX_PATH) throw malformedFrame(`a path of more than ${MAX_PATH} names`);
  return path.length;
}

/**
 * Bounds what callbacks of `map` come to in one message. Cap'n Web's session goes through the list of a callback's instructions
 * once for each element, and copies all but the last of them by `slice`: that is where it is counted, and where a callback
 * stops that exceeds what is left. Callbacks inside callbacks are copied with them, so that each is counted as for the longest
 * list there is.
 */
export function boundMaps(
  mappers: readonly unknown[][],
  limits: RpcLimits,
  longest: { readonly length: number },
): void {
  let spent = 0;
  for (const instructions of mappers) {
    const sizes: number[] = [];
    measure(instructions, 0, sizes);
    let elements = 0;
    const slice = (...range: [number?, number?]): unknown[] => {
      spent += sizes.reduce((sum, size, depth) => sum + size * Math.max(longest.length, 1) ** depth, 0);
      if (++elements > limits.maxMapElements) throw exceeded('maxMapElements', limits, ': map fewer elements');
      if (spent > limits.maxMapOperations) throw exceeded('maxMapOperations', limits, ': map fewer elements');
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

/** Makes the error for more than a limit, which it names. */
export function exceeded(
  name: keyof RpcLimits,
  limits: RpcLimits,
  hint = '',
  code: RpcErrorCode = 'LIMIT_EXCEEDED',
): RpcError {
  return new RpcError(code, `${name} of ${limits[name]} exceeded${hint}`);
}
