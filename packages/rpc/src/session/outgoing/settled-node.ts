import { Recording } from '../../protocol/recording.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { callFunction, callMember, readMember } from '../incoming/members.ts';
import { Call } from './call.ts';
import { type Node, nodeOf } from './node.ts';
import { callThrough, settleWith } from './waiting-calls.ts';

/** Makes an operation of the connection. */
type Make = (node: Node, args: unknown[]) => Call;

/** Goes on from the result of a call, which has settled: through the stub that it leads to, or on the value itself. */
export function goOn(make: Make, node: Node, args: unknown[] | undefined, outcome: Outcome): Call {
  const { name, options } = node;
  const method = node.path.at(-1);
  const reached = settledNode(callee(node, args), outcome);
  if (!('ok' in reached)) {
    const path = args === undefined || method === undefined ? reached.path : [...reached.path, method];
    return callThrough({ ...reached, path, name, options: options ?? reached.options }, args);
  }
  const call = new Call(0, undefined, name);
  if (args === undefined || !reached.ok) {
    call.settle(reached);
    return call;
  }
  // The callback is for the server to run, wherever the list is by now.
  if (args[0] instanceof Recording) {
    const rest = [args[0], method, reached.value, ...args.slice(1)];
    return make({ ...node, base: undefined, path: [] }, rest);
  }
  try {
    settleWith(call, Promise.resolve(callSettled(reached.value, method, args)));
  } catch (error) {
    call.settle({ ok: false, error });
  }
  return call;
}

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

function callSettled(value: unknown, method: string | undefined, args: unknown[]): unknown {
  return method === undefined ? callFunction(value, args) : callMember(value, method, args);
}

/** The node without the name of the method that is called on it. */
function callee(node: Node, args: unknown[] | undefined): Node {
  return args === undefined ? node : { ...node, path: node.path.slice(0, -1) };
}

function extendNode(reached: Node, { path, name, options }: Node, from: number): Node {
  return { ...reached, path: [...reached.path, ...path.slice(from)], name, options: options ?? reached.options };
}
