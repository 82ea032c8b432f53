import type { Outcome } from '../../protocol/result-frame.ts';
import { callFunction, callMember, readMember } from '../incoming/members.ts';
import { type Node, nodeOf } from './node.ts';

/**
 * Follows a path from the result of a call that has settled, here where the result is: to a stub, whose node is returned
 * with what is left of the path, or to a value.
 */
export function settledNode(node: Node, outcome: Outcome): Node | Outcome {
  if (!outcome.ok) return outcome;
  let value = outcome.value;
  for (const [index, name] of node.path.entries()) {
    const reached = nodeOf(value);
    if (reached !== undefined) return extendNode(reached, node, index);
    try {
      value = readMember(value, name);
    } catch (error) {
      return { ok: false, error };
    }
  }
  const reached = nodeOf(value);
  return reached === undefined ? { ok: true, value } : extendNode(reached, node, node.path.length);
}

/** Calls a method of a result that has arrived, or without a name the result itself. */
export function callSettled(value: unknown, method: string | undefined, args: unknown[]): unknown {
  return method === undefined ? callFunction(value, args) : callMember(value, method, args);
}

function extendNode(reached: Node, { path, name, options }: Node, from: number): Node {
  return { ...reached, path: [...reached.path, ...path.slice(from)], name, options: options ?? reached.options };
}
