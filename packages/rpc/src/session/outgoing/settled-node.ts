import { Recording } from '../../protocol/recording.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { Members } from '../data-members.ts';
import { Call } from './call.ts';
import { limitCall } from './limit-call.ts';
import { callThrough, type Node, nodeOf } from './node.ts';

/** Thrown where a value holds a result that has failed: what uses it fails in the same way. */
export class FailedResult {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** Goes on from the result of a call, which has settled: through the stub that it leads to, or by `members` on the value itself. */
export function goOn(call: Call, node: Node, args: unknown[] | undefined, outcome: Outcome, members: Members): void {
  const { options, path } = node;
  const called = args === undefined ? 0 : Math.min(path.length, 1);
  const method = path.slice(path.length - called);
  const reached = settledNode({ ...node, path: path.slice(0, path.length - called) }, outcome, members);
  if (!('ok' in reached)) {
    if (options === undefined && reached.options !== undefined) limitCall(call, reached.options);
    if (call.outcome !== undefined) return;
    return callThrough(call, { ...reached, path: [...reached.path, ...method] }, args);
  }
  if (args === undefined || !reached.ok) return call.settle(reached);
  const { value } = reached;
  // The callback is for the server to run, wherever the list is by now.
  if (args[0] instanceof Recording) {
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
