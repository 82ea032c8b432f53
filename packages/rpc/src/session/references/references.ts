import { RpcError } from '../../errors/rpc-error.ts';
import { keptAt, readResultReference, referenceAddress } from '../../protocol/address.ts';
import { malformedFrame } from '../../protocol/errors.ts';
import { FUNCTION, RESULT, readId, TARGET } from '../../protocol/tags.ts';
import type { ExtensionState, Made, ValueKind } from '../extension.ts';
import { nodeOf } from '../outgoing/node.ts';
import { referenceStub } from '../outgoing/stub.ts';
import type { Session } from '../session.ts';
import { next } from '../timer.ts';
import { isWhole } from '../travelling.ts';
import { dispose, isByReference } from './by-reference.ts';
import { Exports } from './exports.ts';
import { Imports } from './imports.ts';
import { Reference } from './reference.ts';

/** The references that each side of a connection holds for the other. */
export class References implements ExtensionState {
  readonly #peer: Session;
  // Created on first use: of thousands of connections that are mostly idle, few need them.
  #imports: Imports | undefined;
  #exports: Exports | undefined;
  /** The ids of the references in the result that was read last. */
  readonly #arrived: number[] = [];

  constructor(peer: Session) {
    this.#peer = peer;
  }

  get imports(): Imports {
    this.#imports ??= new Imports(this.#peer);
    return this.#imports;
  }

  get exports(): Exports {
    this.#exports ??= new Exports(this.#peer, (value) => this.letGo(value));
    return this.#exports;
  }

  get counts() {
    return {
      exports: this.#exports?.size ?? 0,
      imports: this.#imports?.size ?? 0,
      heldResults: this.#exports?.steps ?? 0,
    };
  }

  /**
   * Disposes of a value that the peer no longer holds, or does not receive. Keeps the connection's own target, and
   * values that are still retained for the peer.
   */
  letGo(value: object): void {
    if (value !== this.#peer.target && !this.#exports?.retains(value)) dispose(value);
  }

  /** Returns the stub of a reference that was received, as an argument of the call `argumentOf` or in a result. */
  received(name: string, id: number, argumentOf: number | undefined, resultOf: number | undefined): object {
    if (resultOf !== undefined) this.#arrived.push(id);
    return this.imports.stubOf(id, name, (reference) => referenceStub(this.#peer, reference), argumentOf);
  }

  handled(isWanted: boolean): void {
    for (const id of this.#arrived.splice(0)) if (!isWanted) this.imports.giveBack(id);
  }

  lost(reason: RpcError): void {
    this.#imports?.lost(`the connection to what this stub stood for is gone: ${reason.message}`);
    const exports = this.#exports;
    this.#exports = undefined;
    // Targets that are disposed of may pass others, over the next connection.
    if (exports !== undefined) next(() => exports.clear());
  }
}

/** Targets and functions. They stay on their own side, and the peer gets a stub. */
export const REFERENCES: ValueKind = {
  names: [TARGET, FUNCTION, RESULT],

  write(value: object, peer: Session): Made | undefined {
    if (!isByReference(value)) return undefined;
    const node = nodeOf(value);
    if (node !== undefined && !isWhole(node)) {
      throw new RpcError('NOT_CLONEABLE', `await ${node.name} first: it is of another connection`);
    }
    if (peer.isStateless) {
      throw new RpcError(
        'NOT_CLONEABLE',
        'functions and targets cannot be passed over a connection that does not last: use connect() with a WebSocket',
      );
    }
    const name = typeof value === 'function' ? FUNCTION : TARGET;
    const { exports } = peer.state(References);
    const id = exports.add(value);
    return {
      extension: { name, parts: [id] },
      takeBack: (wasWritten) => exports.release(referenceAddress(id), 1, wasWritten),
    };
  },

  read(name: string, parts: unknown[], peer: Session, argumentOf?: number, resultOf?: number): unknown {
    const references = peer.state(References);
    if (name !== RESULT) return references.received(name, readId(parts[0]), argumentOf, resultOf);
    const { address, path } = readResultReference(parts, 0);
    if (address === 0 && path.length === 0 && peer.target !== undefined) return peer.target;
    const kept = path.length === 0 ? keptAt(address) : undefined;
    if (kept?.kind === 'reference') {
      const outcome = references.exports.get(address);
      if (outcome !== undefined && 'ok' in outcome && outcome.ok) return outcome.value;
      // An earlier life of the session has sent it, and the receiver of this value finds out if it uses it.
      if (peer.exportsWatcher !== undefined) return lostStub(peer, kept.id, references);
    }
    throw malformedFrame('a reference to something that was not sent');
  },
};

/** Creates a stub in place of a value of this side that it has forgotten. */
function lostStub(peer: Session, id: number, { imports }: References): object {
  const lost = new Reference(id, TARGET, imports);
  lost.lose('what came back was forgotten in hibernation');
  return referenceStub(peer, lost);
}
