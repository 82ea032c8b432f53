import type { Call } from './call.ts';

/** What a stub stands for: a property path, from the target or from the result of a call. */
export interface Node {
  /** The session that the stub belongs to. */
  readonly owner: object;
  /** The call whose result the path starts from; undefined for the connection's target. */
  readonly base: Call | undefined;
  readonly path: readonly string[];
  /** The last name of the path, for messages. */
  readonly name: string;
}

/** The key under which a stub gives its node to this library; a value that is no stub has nothing there. */
export const NODE = Symbol('lumenize.node');

/** Returns what a stub stands for; undefined for other values. */
export function nodeOf(value: object): Node | undefined {
  return (value as { [NODE]?: Node })[NODE];
}
