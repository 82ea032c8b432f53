import { RpcError } from '../errors.ts';
import { type Call, callOf, failedCall } from './call.ts';
import type { Peer } from './peer.ts';
import { type Node, namesOf, nodeOf, withOptions } from './stub.ts';

/** Goes on from a result that has arrived: on the value itself, or on what the stub stands for that it is. */
export function goOnFrom({ settings }: Peer, value: unknown, { path, options }: Node, args?: unknown[]): Call {
  const step = (from: unknown, name: string | undefined, args?: unknown[]): unknown => {
    for (const { here } of settings.features) {
      const found = here?.(from, name, args);
      if (found !== undefined) return found[0];
    }
    const isStub = nodeOf(from) !== undefined;
    const member =
      name === undefined
        ? from
        : isStub ||
            Object.hasOwn(Object(from), name) ||
            (name === 'size' && (from instanceof Map || from instanceof Set))
          ? Reflect.get(from as object, name)
          : undefined;
    if (args === undefined && (isStub || member !== undefined)) return member;
    if (args !== undefined && isStub) return Reflect.apply(member as () => unknown, from, args);
    throw new RpcError('METHOD_NOT_FOUND', `no "${name}": the result is no RpcTarget that declares it`);
  };
  try {
    const names = namesOf(path);
    const last = args && names.pop();
    let from = options === undefined ? value : (withOptions(value as object, options) ?? value);
    for (const name of names) from = step(from, name);
    if (args !== undefined) from = step(from, last, args);
    const node = nodeOf(from);
    return node?.isPromise ? node.call!() : callOf(Promise.resolve(from));
  } catch (error) {
    return failedCall(error);
  }
}
