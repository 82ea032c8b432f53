import { type Call, callOf } from './call.ts';
import type { Peer } from './peer.ts';
import { type Node, namesOf, nodeOf } from './stub.ts';

/**
 * Goes on from a result that has arrived: through the stub that it is, or that its path leads to, or on the value
 * itself.
 */
export function goOnFrom(peer: Peer, value: unknown, { path, options }: Node, args: unknown[] | undefined): Call {
  const names = namesOf(path);
  let from = value;
  for (let at = 0; ; at++) {
    const node = nodeOf(from);
    if (node !== undefined && (at < names.length || args !== undefined)) {
      const rest = names.slice(at).map((name) => `,${JSON.stringify(name)}`);
      return node.peer.make({ ...node, path: node.path + rest.join(''), options: options ?? node.options }, args);
    }
    if (at === names.length && args === undefined) return callOf(Promise.resolve(from));
    // Of data, own properties are read here. Everything else takes what answers calls.
    const isRead = at < names.length - (args === undefined ? 0 : 1);
    if (isRead && typeof from === 'object' && from !== null && Object.hasOwn(from, names[at])) {
      from = (from as Record<string, unknown>)[names[at]];
    } else
      return callOf(new Promise((resolve) => resolve(peer.settings.answering!.go(peer, from, names.slice(at), args))));
  }
}
