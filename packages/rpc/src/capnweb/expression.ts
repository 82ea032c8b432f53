import { malformedFrame } from '../protocol/malformed.ts';
import { MAX_PATH } from '../protocol/path.ts';

/** What Cap'n Web itself reads at most, by its default. */
const MAX_DEPTH = 256;

/** What an expression of Cap'n Web's protocol asks for. */
export interface Asked {
  /** Calls, and names that are read. */
  operations: number;
  /** Ids of what the client has and passes by reference. */
  readonly references: number[];
  /** Callbacks of `map` that it holds. */
  readonly mappers: Mapper[];
}

/** A callback of `map` as it travels: `instructions` is the list in the message itself. */
export interface Mapper {
  readonly instructions: unknown[];
}

/** Counts the names of a path, each of which may run a getter. @throws {RpcError} `MALFORMED_FRAME` where there are too many */
export function namesOf(path: unknown): number {
  if (!Array.isArray(path)) return 0;
  if (path.length > MAX_PATH) throw malformedFrame(`a path of more than ${MAX_PATH} names`);
  return path.length;
}

/** Looks through an expression, in the places where the protocol has expressions in it. */
export function lookThrough(expression: unknown): Asked {
  const asked: Asked = { operations: 0, references: [], mappers: [] };
  visit(expression, asked, 0);
  return asked;
}

function visit(value: unknown, asked: Asked, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw malformedFrame(`values nested deeper than ${MAX_DEPTH}`);
  if (!Array.isArray(value)) return visitAll(Object.values(value), asked, depth);
  // A list is written as a list in a list of one.
  if (value.length === 1 && Array.isArray(value[0])) return visitAll(value[0], asked, depth);
  switch (value[0]) {
    case 'import':
    case 'pipeline':
      asked.operations += Math.max(namesOf(value[2]), 1);
      return visitAll(value[3], asked, depth);
    case 'remap':
      asked.operations += Math.max(namesOf(value[2]), 1);
      if (Array.isArray(value[4])) asked.mappers.push({ instructions: value[4] });
      return visitAll(value[3], asked, depth);
    case 'export':
    case 'promise':
    case 'writable':
      if (typeof value[1] === 'number') asked.references.push(value[1]);
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

function visitAll(values: unknown, asked: Asked, depth: number): void {
  if (!Array.isArray(values)) return;
  for (const value of values) visit(value, asked, depth + 1);
}
