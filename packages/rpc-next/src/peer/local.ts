import type { Running } from './answers.ts';
import { type Call, callOf } from './call.ts';
import { RunningCall } from './context.ts';
import { callFunction, callMember, readMember } from './members.ts';
import type { Peer } from './peer.ts';
import { type Node, nodeOf, namesOf } from './stub.ts';

/** What runs on this side belongs to no frame. */
const HERE: Running = {
  target: undefined,
  results: undefined,
  tail: undefined,
  again: undefined,
  mapped: { operations: 0 },
};

/**
 * Goes on from a result that has arrived: through the stub that it is, or that its path leads to, or on the value
 * itself.
 */
export function goOnFrom(peer: Peer, value: unknown, { path, options }: Node, args: unknown[] | undefined): Call {
  const names = namesOf(path);
  const reads = args === undefined ? names.length : names.length - 1;
  const call = new RunningCall(peer, 0, undefined, HERE);
  let from = value;
  try {
    for (let at = 0; ; at++) {
      const node = nodeOf(from);
      if (node !== undefined && (at < names.length || args !== undefined)) {
        const rest = names.slice(at).map((name) => `,${JSON.stringify(name)}`);
        return node.peer.op({ ...node, path: node.path + rest.join(''), options: options ?? node.options }, args);
      }
      if (at >= reads) break;
      from = readMember(call, from, names[at]);
    }
    if (args !== undefined) {
      from = names.length === 0 ? callFunction(call, from, args) : callMember(call, from, names.at(-1)!, args, true);
    }
  } catch (error) {
    return callOf(Promise.reject(error));
  }
  return callOf(Promise.resolve(from));
}
