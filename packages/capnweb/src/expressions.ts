import { malformed } from '@lumenize/rpc/adapter';

/** Largest nesting depth that Cap'n Web itself reads by default. */
const MAX_DEPTH = 256;
/** Largest number of names in a path. */
const MAX_PATH = 64;

/** The operations and references in an expression of Cap'n Web's protocol. */
export interface ExpressionUse {
  readonly expression: unknown;
  /** Number of operations. Each name of a path counts as one, and a call without a path counts as one. */
  operations: number;
  /** Ids of the client's values that the expression passes by reference. */
  readonly references: Set<number>;
  /** Ids of the streams that become a Blob. */
  readonly blobs: unknown[];
  /** The uses of `map` in the expression. They are the lists in the message itself, not copies. */
  readonly mappers: Mapper[];
}

/** Collects the operations, references and callbacks of an expression, wherever the protocol allows expressions. */
export function scanExpression(expression: unknown): ExpressionUse {
  const asked: ExpressionUse = { expression, operations: 0, references: new Set(), blobs: [], mappers: [] };
  visit(expression, 0);
  return asked;

  function visit(value: unknown, depth: number): void {
    if (typeof value !== 'object' || value === null) return;
    if (depth > MAX_DEPTH) throw malformed(`values nested deeper than ${MAX_DEPTH}`);
    const visitAll = (values: unknown) => {
      if (Array.isArray(values)) for (const each of values) visit(each, depth + 1);
    };
    if (!Array.isArray(value)) return visitAll(Object.values(value));
    const [kind, first, second, third, fourth] = value;
    // The protocol writes a list as the only element of another list.
    if (value.length === 1 && Array.isArray(kind)) return visitAll(kind);
    if (kind === 'import' || kind === 'pipeline' || kind === 'remap') {
      asked.operations += Math.max(namesOf(second), 1);
      if (isMapper(value)) asked.mappers.push(value);
      visitAll(third);
    } else if (kind === 'export' || kind === 'promise' || kind === 'writable') {
      if (typeof first === 'number') asked.references.add(first);
    } else if (kind === 'error') visit(fourth, depth + 1);
    else if (kind === 'response') visit(first, depth + 1);
    else if (kind === 'request') visit(second, depth + 1);
    else if (kind === 'blob' && Array.isArray(second)) asked.blobs.push(second[1]);
  }
}

/**
 * Counts the names of a path, each of which may run a getter.
 * @throws {RpcError} `MALFORMED_FRAME` if there are too many
 */
function namesOf(path: unknown): number {
  if (!Array.isArray(path)) return 0;
  if (path.length > MAX_PATH) throw malformed(`a path of more than ${MAX_PATH} names`);
  return path.length;
}

/** Numbers of operations, and of values to copy, by the number of `map` callbacks that run around them. */
export type Work = readonly number[];

/** Returns the work of copying the value with an id; undefined if it is what a method returned. */
export type WorkBehind = (id: unknown) => Work | undefined;

/** A use of `map`, in the list of which the instructions of its callback are the last. */
export type Mapper = [kind: 'remap', id: unknown, path: unknown, captures: unknown[], instructions: unknown[]];

export function isMapper(value: unknown): value is Mapper {
  return Array.isArray(value) && value[0] === 'remap' && Array.isArray(value[3]) && Array.isArray(value[4]);
}

/** Returns true if the value of an expression is what a method returns. */
export function isCall(expression: unknown): boolean {
  return Array.isArray(expression) && expression[0] === 'pipeline' && expression.length > 3;
}

/** The number of callbacks in each other from which on more make no difference: work that doubles so often is too much. */
const MAX_CALLBACKS = 24;

/** The work of copying a value, besides that of its parts: the session makes a promise for each copy. */
const COPY = 20;

/** Returns the work if each callback runs for a list of this length. */
export function total(work: Work, longestList: number): number {
  return work.reduce((sum, size, depth) => sum + size * longestList ** depth, 0);
}

/** Returns the work of running a callback of `map` once. */
export function workOfCallback([, subject, , captures, instructions]: Mapper, workBehind: WorkBehind): number[] {
  const captured = captures.map((capture) => workBehind((capture as unknown[] | null)?.[1]));
  // Each element of a list is as much work as the list, without the callback that made the list.
  const values = [workBehind(subject)?.slice(1)];
  const all = [0];
  for (const instruction of instructions) {
    const work = workOf(instruction, (id) =>
      (id as number) < 0 ? captured[-(id as number) - 1] : values[id as number],
    );
    add(work, all, 0);
    values.push(isCall(instruction) ? undefined : work);
  }
  return all;
}

/**
 * Returns the work of running and copying a value. What it refers to is copied with it, each time anew, unless that is
 * what a method returned.
 */
export function workOf(expression: unknown, workBehind: WorkBehind): number[] {
  const work = [0];
  visit(expression);
  return work;

  function visit(value: unknown): void {
    const isObject = typeof value === 'object' && value !== null;
    work[0] += isObject ? 1 : typeof value === 'string' ? value.length / 100 : 0.1;
    if (!isObject) return;
    if (!Array.isArray(value)) return Object.values(value).forEach(visit);
    const [kind, id, path, args] = value;
    const isCallback = isMapper(value);
    if (!isCallback && kind !== 'pipeline' && kind !== 'import') return value.forEach(visit);
    work[0] += namesOf(path);
    if (isCallback) return add(workOfCallback(value, workBehind), work, 1);
    const behind = workBehind(id);
    if (behind !== undefined) {
      work[0] += COPY;
      add(behind, work, 0);
    }
    visit(args);
  }
}

/** Adds work that is done within `depth` callbacks to other work. */
function add(work: Work, to: number[], depth: number): void {
  for (const [index, size] of work.entries()) {
    const at = Math.min(index + depth, MAX_CALLBACKS);
    to[at] = (to[at] ?? 0) + size;
  }
}
