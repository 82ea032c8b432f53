import { RpcError } from '../../errors/rpc-error.ts';
import { nodeOf } from '../../session/outgoing/node.ts';
import { referenceStub } from '../../session/outgoing/stub.ts';
import { Reference } from '../../session/references/reference.ts';
import { References } from '../../session/references/references.ts';
import { ServerSession } from '../session.ts';

/**
 * Returns a token for a function or target that a client passed, for storing it. While the client is connected,
 * `findReference` of the object returns the stub for the token, even after hibernation. The client keeps the function
 * or target until `releaseReference`, or until its connection ends. Call this only once for a value that was passed
 * once.
 * @throws {TypeError} if the value is not a stub of a client's function or target
 * @throws {RpcError} `REFERENCE_LOST` if the stub was disposed
 */
export function storeReference(stub: object): string {
  const { base, owner, path } = nodeOf(stub) ?? {};
  const connectionId = owner instanceof ServerSession ? owner.caller?.connectionId : undefined;
  if (!(base instanceof Reference) || path?.length !== 0 || connectionId === undefined) {
    throw new TypeError('storeReference() needs a function or target that a client passed to this object');
  }
  const entry = (owner as ServerSession).state(References).imports.entryOf(base);
  if (entry === undefined) throw new RpcError('REFERENCE_LOST', 'what was disposed cannot be stored');
  const { count, waiting } = entry;
  // From now on the reference is released with its token, except for calls that have not begun and are given it, too.
  entry.count = Math.min(count, waiting);
  return [connectionId, base.name, base.id, count - entry.count].join('/');
}

/**
 * Reads a token of `storeReference`: the connection, the name and id of a function or target of the client, and how
 * often it was received before it was stored. Releasing it gives back as many.
 */
export function readReferenceToken(token: string) {
  const [connectionId, name, id, count] = token.split('/');
  if (name !== 'function' && name !== 'target') throw new TypeError('this is no token of storeReference()');
  return { connectionId, name, id: Number(id), count: Number(count) };
}

/** Returns the stub for a token. */
export function findStored(session: ServerSession, { id, name }: ReturnType<typeof readReferenceToken>): object {
  const { imports } = session.state(References);
  const stub = imports.stubOf(id, name, (reference) => referenceStub(session, reference));
  // It was not received once more.
  imports.entryOf(nodeOf(stub)!.base as Reference)!.count--;
  return stub;
}
