import { RpcError } from '../../errors/rpc-error.ts';
import { nodeOf } from '../../session/outgoing/node.ts';
import { referenceStub } from '../../session/outgoing/stub.ts';
import { Reference } from '../../session/references/reference.ts';
import { References } from '../../session/references/references.ts';
import { ServerSession } from '../session.ts';

/** Content of a token: the connection, and the client's name and number of a function or target of its own. */
interface StoredReference {
  readonly connectionId: string;
  readonly name: string;
  readonly id: number;
  /** Number of times that it was received before it was stored: releasing it gives back as many. */
  readonly count: number;
}

/**
 * Returns a token for a function or target that a client passed, to be stored: with it, `findReference` of the object gives
 * the stub again, also after hibernation, as long as the client is connected. The client keeps what it passed until
 * `releaseReference`, or until its connection ends. To be called once for what was passed once.
 * @throws {TypeError} where the value is no stub of something at a client
 * @throws {RpcError} `REFERENCE_LOST` where it was disposed
 */
export function storeReference(stub: object): string {
  const { base, owner, path } = nodeOf(stub) ?? {};
  const connectionId = owner instanceof ServerSession ? owner.caller?.connectionId : undefined;
  if (!(base instanceof Reference) || path?.length !== 0 || connectionId === undefined) {
    throw new TypeError('storeReference() needs a function or target that a client passed to this object');
  }
  const count = (owner as ServerSession).state(References).imports.keep(base);
  if (count === undefined) throw new RpcError('REFERENCE_LOST', 'what was disposed cannot be stored');
  return [connectionId, base.name, base.id, count].join('/');
}

/** Reads a token. */
export function readReferenceToken(token: string): StoredReference {
  const [connectionId, name, id, count] = token.split('/');
  if (name !== 'function' && name !== 'target') throw new TypeError('this is no token of storeReference()');
  return { connectionId, name, id: Number(id), count: Number(count) };
}

/** Returns the stub that a token stands for. */
export function findStored(session: ServerSession, { id, name }: StoredReference): object {
  return session.state(References).imports.find(id, name, (reference) => referenceStub(session, reference));
}
