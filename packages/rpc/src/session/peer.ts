import type { RpcError } from '../errors/rpc-error.ts';
import type { Message } from '../protocol/message.ts';
import type { Outcome, Pending } from '../protocol/result-frame.ts';
import type { Signal } from '../protocol/signal.ts';
import type { Bounds, SharedLoad, Waiting } from './admission.ts';
import type { ExtensionState } from './extension.ts';
import type { CallContext, Caller, SessionCounts } from './incoming/call-context.ts';
import type { ResultStore } from './incoming/delivery.ts';
import type { Turns } from './incoming/turns.ts';
import type { Observer } from './observe/observer.ts';
import type { Call, OutgoingFrame } from './outgoing/call.ts';
import type { Node } from './outgoing/node.ts';
import type { ExportsWatcher } from './references/exports.ts';
import type { SessionSettings } from './settings.ts';
import { Travelling } from './travelling.ts';

/** The extension states of a connection without extensions. */
const NONE: readonly ExtensionState[] = [];

/** The part of a session that its two halves share. `Incoming` answers calls, `Outgoing` makes them. */
export abstract class Peer {
  /** The receiver of operations that name no other; undefined on a client. */
  abstract readonly target: unknown;
  abstract readonly caller: Caller | undefined;
  /** True if nothing outlives a frame of this connection, so that nothing can be referred to later. */
  abstract readonly isStateless: boolean;
  /** Observes each call that is made or answered. */
  abstract readonly observer: Observer | undefined;
  abstract readonly outgoing: {
    address(node: Node): number;
    release(id: number, count: number, collected: boolean): void;
  };
  abstract readonly counts: SessionCounts;
  /** Limits on the requests of the peer. Only servers have them. */
  abstract readonly bounds: Bounds | undefined;
  /** The store of the results of exactly-once calls, if there is one. */
  abstract readonly results: ResultStore | undefined;
  /** Called when values are sent by reference, and when they are released. */
  abstract readonly exportsWatcher: ExportsWatcher | undefined;
  /** A promise that resolves when more may be sent; undefined if more may be sent now. */
  abstract readonly drained: Promise<void> | undefined;
  /** The name of the place that calls go to, for observers. */
  abstract readonly description: string | undefined;
  /** The first id to give to calls and to values that are sent. No earlier life of the session has used it. */
  abstract readonly firstId: number;
  readonly settings: SessionSettings;
  /** The load of the object, over all of its connections. */
  readonly load: SharedLoad;
  /** Checks each message that arrives between the parts of another message; undefined while no parts are missing. */
  checkPart: ((message: Message) => void) | undefined;
  /** The length of the message that arrived last. */
  messageBytes = 0;
  /** True once the connection has ended for good. Stays false on a client, which makes another connection. */
  isOver = false;
  // Created on first use: of thousands of connections that are mostly idle, few need these.
  /** The states of the extensions on this connection. */
  states: readonly ExtensionState[] = NONE;
  /** The values that travel by reference; undefined until one has been written or read. */
  openTravelling: Travelling | undefined;
  /** The work that waits on this connection: see `waitingOf`. */
  openWaiting: Waiting | undefined;

  constructor(settings: SessionSettings, load: SharedLoad) {
    this.settings = settings;
    this.load = load;
  }

  abstract call(call: Call, node: Node, args: unknown[] | undefined): void;
  abstract close(): void;
  /** Sends a finished frame of calls as soon as possible. */
  abstract sendCalls(frame: OutgoingFrame): void;
  /** Sends a frame of results, after the calls that were made before it. */
  abstract sendReplies(message: Message): void;
  /** Called when a method threw an error, or when a result could not be sent. */
  abstract onError(error: unknown, method: string, call: CallContext | undefined): void;
  /** Sends a message, in parts if it is larger than a frame may be. */
  abstract send(message: Message): void;
  /** Ends the connection because of something that arrived. */
  abstract refuseConnection(error: RpcError): void;

  /** Called when a call of a method was refused, or a whole frame if there is no method. Servers count refusals. */
  onRefused(_error: RpcError, _method: string | undefined, _call?: CallContext): void {}

  // Members that only servers implement.

  /**
   * Creates the queue in which calls take turns if they take longer than their event. Without a queue, each call begins
   * as soon as it can.
   */
  createTurns?(host: { flush(): void }): Turns;
  /** Handles a signal that only one side knows. */
  receiveOther?(signal: Signal): void;
  /** Makes a subscription that a method returned continue after the event with the number `after`. */
  resume?(outcome: Outcome, after: number): Outcome;
  /** Derives the value of a reference again after the object has forgotten it; undefined if that is not possible. */
  restore?(id: number): Pending | undefined;

  abstract readonly unsentBytes: number;

  /** Sends calls and results that have been written. */
  abstract flushOthers(): void;

  get travelling(): Travelling {
    this.openTravelling ??= new Travelling(this);
    return this.openTravelling;
  }

  /** Returns the state of an extension on this connection, which is created on first use. */
  state<State extends ExtensionState>(Kind: new (peer: this) => State): State {
    for (const state of this.states) if (state instanceof Kind) return state;
    const made = new Kind(this);
    this.states = [...this.states, made];
    return made;
  }

  /**
   * Notes that work is in progress, which keeps the object awake until `finished` is called the same number of times.
   */
  started(): void {}

  finished(): void {}

  /**
   * Notes that work is in progress until the returned function is called. Calling that function again has no effect.
   */
  busy(): () => void {
    return () => {};
  }
}
