import type { AbortSignal } from '../../protocol/platform-types.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { Members } from '../data-members.ts';
import type { Reference } from '../references/reference.ts';
import type { Call } from './call.ts';

/** Options of calls that are made through a stub. */
export interface CallOptions {
  /** Cancels the call: it rejects with `CANCELLED`, and the method's own signal is aborted. */
  signal?: AbortSignal | undefined;
  /** The milliseconds until the call rejects with `TIMED_OUT`. */
  timeoutMs?: number | undefined;
  /** A W3C `traceparent`, which the method finds in its context. */
  traceparent?: string | undefined;
}

/**
 * The place that a stub stands for: a property path that starts from the target, from a reference or from the result of
 * a call.
 */
export interface Node {
  /** The session that the stub belongs to. */
  readonly owner: object;
  /** The start of the path; undefined for the connection's target. */
  readonly base: Call | Reference | undefined;
  readonly path: readonly string[];
  /** The last name of the path, for messages. */
  readonly name: string;
  readonly options: NodeOptions | undefined;
}

/** Options of calls that are made through a stub, with the function that limits each call. */
export interface NodeOptions extends CallOptions {
  /** Gives up a call when its signal is aborted or its time is over. */
  readonly limit?: ((call: Call) => void) | undefined;
}

/** The key under which a stub gives its node to this library. Other values have nothing there. */
export const NODE = Symbol('lumenize.node');

/** Returns the node of a stub; undefined for other values. */
export function nodeOf(value: unknown): Node | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  return (value as { [NODE]?: Node })[NODE];
}

/** Makes a call on the session that a stub belongs to. */
export function callThrough(call: Call, node: Node, args: unknown[] | undefined): void {
  (node.owner as { call(call: Call, node: Node, args: unknown[] | undefined): void }).call(call, node, args);
}

/** Returns the arguments to send for a call that `session` makes, in place of the given ones. */
export type PrepareArguments = (session: object, node: Node, args: unknown[]) => unknown[];

/** Thrown when a value holds a result that has failed. A call that uses the value fails with the same error. */
export class FailedResult {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** The tables needed to continue from values that are on this side. */
interface MemberTables {
  readonly members: Members;
  /** Returns true for a recording, which stands for a callback that the peer runs. */
  readonly isRecording?: (value: unknown) => boolean;
}

/**
 * Continues from the result of a call that has settled: makes the call through the stub that the result leads to, or
 * with `members` on the value itself.
 */
export function continueFromResult(call: Call, node: Node, args: unknown[] | undefined, tables: MemberTables): void {
  const { options, path } = node;
  const { members } = tables;
  const called = args === undefined ? 0 : Math.min(path.length, 1);
  const method = path.slice(path.length - called);
  const reached = settledNode({ ...node, path: path.slice(0, path.length - called) }, members);
  if (!('ok' in reached)) {
    if (options === undefined) reached.options?.limit?.(call);
    if (call.outcome !== undefined) return;
    return callThrough(call, { ...reached, path: [...reached.path, ...method] }, args);
  }
  if (args === undefined || !reached.ok) return call.settle(reached);
  const { value } = reached;
  // The server runs the callback, even if the list is already on this side.
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

/**
 * Follows the path of a node on this side, from the result of its call, which has settled. If the path leads to a stub,
 * returns its node with the rest of the path. Otherwise returns the outcome of reading the path.
 */
export function settledNode({ base, path, name, options }: Node, members: Members): Node | Outcome {
  const outcome = (base as Call).outcome!;
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
