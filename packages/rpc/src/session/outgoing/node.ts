import type { Reference } from '../references/reference.ts';
import type { Call } from './call.ts';

/** How calls through a stub are made. */
export interface CallOptions {
  /** Cancels the call: it rejects with `CANCELLED`, and the method's own signal is aborted. */
  signal?: AbortSignal | undefined;
  /** Milliseconds until the call rejects with `TIMED_OUT`. */
  timeoutMs?: number | undefined;
  /** A W3C `traceparent`, which the method finds in its context. */
  traceparent?: string | undefined;
}

/** What a stub stands for: a property path, from the target, from a reference or from the result of a call. */
export interface Node {
  /** The session that the stub belongs to. */
  readonly owner: object;
  /** What the path starts from; undefined for the connection's target. */
  readonly base: Call | Reference | undefined;
  readonly path: readonly string[];
  /** The last name of the path, for messages. */
  readonly name: string;
  readonly options: CallOptions | undefined;
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
