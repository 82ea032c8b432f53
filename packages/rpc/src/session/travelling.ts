import type { Extension } from '@lumenize/structured-clone';
import { RpcError } from '../errors/rpc-error.ts';
import { keptAt } from '../protocol/address.ts';
import { FUNCTION, RECORDING, RESULT, readId, readResultReference, TARGET, VALUE } from '../protocol/extension.ts';
import { malformedFrame } from '../protocol/malformed.ts';
import { Recording } from '../protocol/recording.ts';
import { isByReference } from './incoming/members.ts';
import { Call } from './outgoing/call.ts';
import { type Node, nodeOf } from './outgoing/node.ts';
import { outcomeOfBase, settledNode } from './outgoing/settled-node.ts';
import { referenceStub, type StubSession } from './outgoing/stub.ts';
import type { Exports } from './references/exports.ts';
import type { Imports } from './references/imports.ts';

/** What values that travel by reference need of their session. */
export interface TravelHost extends StubSession {
  /** Whether nothing outlives a frame of this connection, so that nothing can be referred to later. */
  readonly isStateless: boolean;
  readonly exports: Exports;
  readonly imports: Imports;
  /** Where the operation being written finds what a stub stands for. */
  address(node: Node): number;
}

/** How values travel that the codec does not carry: stubs back to what they stand for, targets and functions by reference. */
export class Travelling {
  readonly #host: TravelHost;
  /** What was sent by reference in the value being written, which may be gone through twice. */
  readonly #made = new Map<object, Extension & { payload: number }>();

  constructor(host: TravelHost) {
    this.#host = host;
  }

  /** Says how a value travels; undefined for what does not. */
  extend(value: object): Extension | undefined {
    if (value instanceof Recording) return { kind: RECORDING, payload: [value.body, ...value.captures] };
    const node = nodeOf(value);
    if (node !== undefined && node.owner === this.#host) return this.#back(node);
    if (!isByReference(value)) return undefined;
    if (node?.base instanceof Call || (node !== undefined && node.path.length > 0)) {
      throw new RpcError('NOT_CLONEABLE', `await ${node.name} first: it is of another connection`);
    }
    return this.#reference(value);
  }

  /** Told after a value was written, or failed to be: what was noted as sent stays so, or is taken back. */
  written(kept: boolean): void {
    if (this.#made.size === 0) return;
    if (!kept) for (const { payload } of this.#made.values()) this.#host.exports.release(payload, 1);
    this.#made.clear();
  }

  /** Makes what an extension stands for. */
  revive(kind: number, payload: unknown): unknown {
    const host = this.#host;
    switch (kind) {
      case VALUE:
        return payload;
      case TARGET:
        return host.imports.receive(readId(payload), 'target', (reference) => referenceStub(host, reference));
      case FUNCTION:
        return host.imports.receive(readId(payload), 'function', (reference) => referenceStub(host, reference));
      case RESULT: {
        const { address, path } = readResultReference(payload, 0);
        const kept = keptAt(address);
        const value = kept?.kind === 'reference' && path.length === 0 ? host.exports.get(kept.id) : undefined;
        if (value === undefined) throw malformedFrame('a reference to something that was not sent');
        return value;
      }
      default:
        throw malformedFrame(`extension ${kind} is unknown`);
    }
  }

  /** A stub of this connection: what it stands for is on the other side, or has arrived from there. */
  #back(node: Node): Extension | undefined {
    const outcome = outcomeOfBase(node);
    if (outcome === undefined) return { kind: RESULT, payload: [this.#host.address(node), ...node.path] };
    const reached = settledNode(node, outcome);
    if (!('ok' in reached)) return this.#back(reached);
    if (!reached.ok) throw reached.error;
    return { kind: VALUE, payload: reached.value };
  }

  #reference(value: object): Extension {
    const made = this.#made.get(value);
    if (made !== undefined) return made;
    if (this.#host.isStateless) {
      throw new RpcError(
        'NOT_CLONEABLE',
        'functions and targets cannot be passed over a connection that does not last: use connect() with a WebSocket',
      );
    }
    const kind = typeof value === 'function' ? FUNCTION : TARGET;
    const extension = { kind, payload: this.#host.exports.add(value) };
    this.#made.set(value, extension);
    return extension;
  }
}
