import type { Extension } from '@lumenize/structured-clone';
import { RpcError } from '../errors/rpc-error.ts';
import { keptAt, readResultReference } from '../protocol/address.ts';
import { malformedFrame } from '../protocol/errors.ts';
import { Recording } from '../protocol/recording.ts';
import {
  ABORT_SIGNAL,
  FUNCTION,
  ITERABLE,
  PROMISE,
  READABLE,
  RESULT,
  readId,
  TARGET,
  VALUE,
  WRITABLE,
} from '../protocol/tags.ts';
import type { Channels, Opening } from './channels/channels.ts';
import { Call, type Passed } from './outgoing/call.ts';
import { type Node, nodeOf } from './outgoing/node.ts';
import { FailedResult, outcomeOfBase, settledNode } from './outgoing/settled-node.ts';
import { referenceStub, type StubSession } from './outgoing/stub.ts';
import { isByReference } from './references/by-reference.ts';
import type { Exports } from './references/exports.ts';
import type { Imports } from './references/imports.ts';
import { Reference } from './references/reference.ts';
import type { SessionSettings } from './settings.ts';

/** What values that travel by reference need of their session. */
export interface TravelHost extends StubSession {
  /** Whether nothing outlives a frame of this connection, so that nothing can be referred to later. */
  readonly isStateless: boolean;
  readonly settings: SessionSettings;
  readonly exports: Exports;
  readonly imports: Imports;
  readonly channels: Channels;
  readonly outgoing: { address(node: Node): number };
  /** Says how a value travels that only one side knows. */
  extendOther?(value: object, isArgument: boolean): Made | undefined;
}

/** A value that was sent by reference: what stands for it, and what becomes of that. */
export interface Made extends Passed {
  readonly extension: Extension;
  keep?(call: Call | undefined): void;
}

/**
 * How values travel that the codec does not carry: stubs back to what they stand for, targets and functions by reference,
 * streams and the like over channels.
 */
export class Travelling {
  readonly #host: TravelHost;
  /** What was sent by reference in the value being written, which may be gone through twice. */
  #made: Map<object, Made> | undefined;

  constructor(host: TravelHost) {
    this.#host = host;
  }

  /** Says how a value travels, among the arguments of a call or elsewhere; undefined for what does not. */
  extend(value: object, isArgument = false): Extension | undefined {
    if (value instanceof Recording) return value.extension;
    const node = nodeOf(value);
    if (node !== undefined && node.owner === this.#host) return this.#back(value, node, isArgument);
    const made = this.#made?.get(value);
    if (made !== undefined) return made.extension;
    if (!isByReference(value)) {
      const name = channelName(value);
      const opened =
        name === undefined
          ? this.#host.extendOther?.(value, isArgument)
          : this.#host.channels.open(name, value, isArgument);
      return opened && this.#note(value, opened);
    }
    if (node?.base instanceof Call || (node !== undefined && node.path.length > 0)) {
      throw new RpcError('NOT_CLONEABLE', `await ${node.name} first: it is of another connection`);
    }
    return this.#reference(value);
  }

  /**
   * Told after a value was written, or failed to be: what was noted as sent stays so, or is taken back. `call`: the one that
   * it is an argument of. Returns what was sent by reference, if anything was.
   */
  written(kept: boolean, call?: Call): readonly Passed[] | undefined {
    if (this.#made === undefined || this.#made.size === 0) return undefined;
    const made = [...this.#made.values()];
    this.#made.clear();
    for (const each of made) {
      if (kept) each.keep?.(call);
      else each.takeBack();
    }
    return made;
  }

  /** Makes what an extension stands for; `callId`: the call that it is an argument of. */
  revive(name: string, parts: unknown[], callId: number | undefined): unknown {
    const host = this.#host;
    switch (name) {
      case VALUE:
        return parts[0];
      case TARGET:
      case FUNCTION:
        return host.imports.receive(readId(parts[0]), name, (reference) => referenceStub(host, reference), callId);
      case RESULT: {
        const { address, path } = readResultReference(parts, 0);
        const kept = keptAt(address);
        const value = kept?.kind === 'reference' && path.length === 0 ? host.exports.get(kept.id) : undefined;
        if (value === undefined) throw malformedFrame('a reference to something that was not sent');
        return value;
      }
      case READABLE:
      case WRITABLE:
      case ITERABLE:
      case PROMISE:
      case ABORT_SIGNAL:
        return host.channels.revive(name, parts, callId);
      default:
        throw malformedFrame(`type ${name} is unknown`);
    }
  }

  /** A stub of this connection: what it stands for is on the other side, has arrived from there, or is on its way. */
  #back(stub: object, node: Node, isArgument: boolean): Extension | undefined {
    const outcome = outcomeOfBase(node);
    if (outcome !== undefined) {
      const reached = settledNode(node, outcome, this.#host.settings.tables.members);
      if (!('ok' in reached)) return this.#back(stub, reached, isArgument);
      if (!reached.ok) throw new FailedResult(reached.error);
      return { name: VALUE, parts: [reached.value] };
    }
    // Only arguments can name a result that is not there yet: anywhere else it is a promise.
    if (!isArgument && !isWhole(node)) {
      return this.#made?.get(stub)?.extension ?? this.#note(stub, this.#promise(stub as PromiseLike<unknown>));
    }
    return { name: RESULT, parts: [this.#host.outgoing.address(node), ...node.path] };
  }

  #promise(result: PromiseLike<unknown>): Opening {
    const promise = Promise.resolve(result);
    promise.catch(() => {}); // the other side is told; and if not even that can be sent, nobody
    return this.#host.channels.open(PROMISE, promise, false);
  }

  #reference(value: object): Extension {
    if (this.#host.isStateless) {
      throw new RpcError(
        'NOT_CLONEABLE',
        'functions and targets cannot be passed over a connection that does not last: use connect() with a WebSocket',
      );
    }
    const name = typeof value === 'function' ? FUNCTION : TARGET;
    const { exports } = this.#host;
    const id = exports.add(value);
    return this.#note(value, { extension: { name, parts: [id] }, takeBack: () => exports.release(id, 1) });
  }

  #note(value: object, made: Made): Extension {
    this.#made ??= new Map();
    this.#made.set(value, made);
    return made.extension;
  }
}

/** Whether a stub stands for a reference, and not for a part or a result of something. */
function isWhole({ base, path }: Node): boolean {
  return base instanceof Reference && path.length === 0;
}

/** The name of what stands for a value which travels over a channel; undefined for others. */
function channelName(value: object): string | undefined {
  if (value instanceof ReadableStream) return READABLE;
  if (value instanceof WritableStream) return WRITABLE;
  if (value instanceof Promise) return PROMISE;
  if (value instanceof AbortSignal) return ABORT_SIGNAL;
  return Symbol.asyncIterator in value ? ITERABLE : undefined;
}
