import type { Outcome } from '../../protocol/result-frame.ts';
import type { Members } from '../data-members.ts';
import type { Reference } from '../references/reference.ts';
import { Call } from './call.ts';

/** Options of calls that are made through a stub. */
export interface CallOptions {
  /** Cancels the call: it rejects with `CANCELLED`, and the method's own signal is aborted. */
  signal?: AbortSignal | undefined;
  /** Milliseconds until the call rejects with `TIMED_OUT`. */
  timeoutMs?: number | undefined;
  /** A W3C `traceparent`, which the method finds in its context. */
  traceparent?: string | undefined;
}

/** Place that a stub stands for: a property path, from the target, from a reference or from the result of a call. */
export interface Node {
  /** The session that the stub belongs to. */
  readonly owner: object;
  /** Start of the path; undefined for the connection's target. */
  readonly base: Call | Reference | undefined;
  readonly path: readonly string[];
  /** The last name of the path, for messages. */
  readonly name: string;
  readonly options: NodeOptions | undefined;
}

/** Options of calls that are made through a stub, and the limits of each. */
export interface NodeOptions extends CallOptions {
  /** Has a call given up when its signal is aborted or its time is over. */
  readonly limit?: ((call: Call) => void) | undefined;
}

/** The key under which a stub gives its node to this library; a value that is no stub has nothing there. */
export const NODE = Symbol('lumenize.node');

/** Returns what a stub stands for; undefined for other values. */
export function nodeOf(value: unknown): Node | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  return (value as { [NODE]?: Node })[NODE];
}

/** Makes a call on whatever session a stub belongs to. */
export function callThrough(call: Call, node: Node, args: unknown[] | undefined): void {
  (node.owner as { call(call: Call, node: Node, args: unknown[] | undefined): void }).call(call, node, args);
}

/** Returns the arguments to send of a call that `session` makes, in place of those given. */
export type PrepareArguments = (session: object, node: Node, args: unknown[]) => unknown[];

/** Thrown where a value holds a result that has failed: what uses it fails in the same way. */
export class FailedResult {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** Tables for going on from values that are here. */
interface MemberTables {
  readonly members: Members;
  /** Returns true for what stands for a callback that the other side runs. */
  readonly isRecording?: (value: unknown) => boolean;
}

/** Goes on from the result of a call, which has settled: through the stub that it leads to, or by `members` on the value itself. */
export function goOn(
  call: Call,
  node: Node,
  args: unknown[] | undefined,
  outcome: Outcome,
  tables: MemberTables,
): void {
  const { options, path } = node;
  const { members } = tables;
  const called = args === undefined ? 0 : Math.min(path.length, 1);
  const method = path.slice(path.length - called);
  const reached = settledNode({ ...node, path: path.slice(0, path.length - called) }, outcome, members);
  if (!('ok' in reached)) {
    if (options === undefined) reached.options?.limit?.(call);
    if (call.outcome !== undefined) return;
    return callThrough(call, { ...reached, path: [...reached.path, ...method] }, args);
  }
  if (args === undefined || !reached.ok) return call.settle(reached);
  const { value } = reached;
  // The callback is for the server to run, wherever the list is by now.
  if (tables.isRecording?.(args[0])) {
    return callThrough(call, { ...node, base: undefined, path: [] }, [args[0], ...method, value, ...args.slice(1)]);
  }
  new Promise((resolve) => {
    resolve(called === 0 ? members.apply(value, args) : members.call(value, method[0], args));
  }).then(
    (result) => call.settle({ ok: true, value: result }),
    (error) => call.fail(error),
  );
}

/** Returns the outcome of the call that a node starts from; undefined where it starts elsewhere or the call has not settled. */
export function outcomeOfBase({ base }: Node): Outcome | undefined {
  return base instanceof Call ? base.outcome : undefined;
}

/**
 * Follows a path from the result of a call that has settled, here where the result is: to a stub, whose node is returned
 * with what is left of the path, or to a value.
 */
export function settledNode({ path, name, options }: Node, outcome: Outcome, members: Members): Node | Outcome {
  if (!outcome.ok) return outcome;
  let { value } = outcome;
  for (let at = 0; ; at++) {
    const reached = nodeOf(value);
    if (reached !== undefined) {
      const rest = [...reached.path, ...path.slice(at)];
      return { ...reached, path: rest, name, options: options ?? reached.options };
    }
    if (at === path.length) return { ok: true, value };
    try {
      value = members.read(value, path[at]);
    } catch (error) {
      return { ok: false, error };
    }
  }
}
