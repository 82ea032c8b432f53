import { type Call, callOf, failedCall } from './call.ts';
import { callMember, readMember } from './members.ts';
import type { Peer } from './peer.ts';
import { type Node, namesOf, nodeOf, withOptions } from './stub.ts';

/** Goes on from a result that has arrived: on the value itself, or on what the stub stands for that it is. */
export function goOnFrom({ settings }: Peer, value: unknown, { path, options }: Node, args?: unknown[]): Call {
  try {
    const names = namesOf(path);
    const last = args && names.pop();
    let from = options === undefined ? value : (withOptions(value as object, options) ?? value);
    for (const name of names) from = readMember(from, name);
    if (args !== undefined) {
      const done = settings.features.reduce<unknown>((done, { here }) => done ?? here?.(from, last, args), undefined);
      from = done ?? callMember(from, last, args);
    }
    const node = nodeOf(from);
    return node?.isPromise ? node.call!() : callOf(Promise.resolve(from));
  } catch (error) {
    return failedCall(error);
  }
}
