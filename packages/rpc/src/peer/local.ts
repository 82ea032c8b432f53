import { RpcError } from '../errors.ts';
import { type Call, callOf, failedCall } from './call.ts';
import type { Peer } from './peer.ts';
import { type Node, namesOf, nodeOf } from './stub.ts';

/** Goes on from a result that has arrived: through the stub that it is, or that its path leads to, or on the value itself. */
export function goOnFrom({ settings }: Peer, value: unknown, { path, options }: Node, args?: unknown[]): Call {
  /** Reads a member of a value that is no stub, or calls it if there are arguments. */
  const step = (from: unknown, name: string | undefined, args: unknown[] | undefined): unknown => {
    for (const { here } of settings.features) {
      const found = here?.(from, name, args);
      if (found !== undefined) return found[0];
    }
    const isThere =
      typeof from === 'object' &&
      from !== null &&
      (Object.hasOwn(from, name!) || (name === 'size' && (from instanceof Map || from instanceof Set)));
    if (args === undefined && isThere) return (from as Record<string, unknown>)[name!];
    throw new RpcError('METHOD_NOT_FOUND', `no "${name}": the result is no RpcTarget that declares it`);
  };
  const names = namesOf(path);
  const reads = names.length - (args === undefined ? 0 : 1);
  try {
    let from = value;
    for (let at = 0; ; at++) {
      const node = nodeOf(from);
      if (node !== undefined && (at < names.length || args !== undefined)) {
        const { peer, base } = node;
        const rest = names.slice(at).map((name) => `,${JSON.stringify(name)}`);
        return peer.make({ peer, base, path: node.path + rest.join(''), options: options ?? node.options }, args);
      }
      if (at < reads) from = step(from, names[at], undefined);
      else return callOf(Promise.resolve(args === undefined ? from : step(from, names[at], args)));
    }
  } catch (error) {
    return failedCall(error);
  }
}
