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

/** The states of a connection without extensions. */
const NONE: readonly ExtensionState[] = [];

/** The part that both halves of a session share: one answers calls, the other makes them. */
export abstract class Peer {
  /** Receiver of operations that name no other; undefined on a client. */
  abstract readonly target: unknown;
  abstract readonly caller: Caller | undefined;
  /** True if nothing outlives a frame of this connection, so that nothing can be referred to later. */
  abstract readonly isStateless: boolean;
  /** Told of each call, made or answered. */
  abstract readonly observer: Observer | undefined;
  abstract readonly outgoing: {
    address(node: Node): number;
    release(id: number, count: number, collected: boolean): void;
  };
  abstract readonly counts: SessionCounts;
  /** Bounds for what the other side asks for: servers have them. */
  abstract readonly bounds: Bounds | undefined;
  /** Store of the results of exactly-once calls, if there is one. */
  abstract readonly results: ResultStore | undefined;
  /** Told of what is sent by reference. */
  abstract readonly exportsWatcher: ExportsWatcher | undefined;
  /** Resolves when more may be sent; undefined where that is so already. */
  abstract readonly drained: Promise<void> | undefined;
  /** Name of the place that calls go to, for observers. */
  abstract readonly description: string | undefined;
  /** The first id to give to what is sent, and to calls: none that an earlier life of the session has given. */
  abstract readonly firstId: number;
  readonly settings: SessionSettings;
  /** Load of the object, over all of its connections. */
  readonly load: SharedLoad;
  /** Checks a message that arrives while parts of another are to come; undefined while none are. */
  checkPart: ((message: Message) => void) | undefined;
  /** The length of the message that arrived last. */
  messageBytes = 0;
  /** True once the connection has ended for good: one of a client is followed by another. */
  isOver = false;
  // Made on first use: of thousands of connections that mostly idle, few need them.
  /** States of extensions on this connection. */
  states: readonly ExtensionState[] = NONE;
  /** Values that travel by reference; undefined until one has been written or read. */
  openTravelling: Travelling | undefined;
  /** Work that waits on this connection: see `waitingOf`. */
  openWaiting: Waiting | undefined;

  constructor(settings: SessionSettings, load: SharedLoad) {
    this.settings = settings;
    this.load = load;
  }

  abstract call(call: Call, node: Node, args: unknown[] | undefined): void;
  abstract close(): void;
  /** Sends a frame of calls that was finished, as soon as it can be. */
  abstract sendCalls(frame: OutgoingFrame): void;
  /** Sends a frame of results, after calls that were made before. */
  abstract sendReplies(message: Message): void;
  /** Told of what methods threw, and of results that could not be sent. */
  abstract onError(error: unknown, method: string, call: CallContext | undefined): void;
  /** Sends a message, in parts where it is larger than a frame may be. */
  abstract send(message: Message): void;
  /** Ends the connection, because of something that arrived. */
  abstract refuseConnection(error: RpcError): void;

  /** Told of what was refused: a call of the method, or a frame where there is none. Servers count it. */
  onRefused(_error: RpcError, _method: string | undefined, _call?: CallContext): void {}

  // What only servers do.

  /** Makes what has calls take turns that take longer than their event; without it each begins as soon as it can. */
  createTurns?(host: { flush(): void }): Turns;
  /** Handles a signal that only one side knows. */
  receiveOther?(signal: Signal): void;
  /** Has a subscription that a method returned go on behind an event. */
  resume?(outcome: Outcome, after: number): Outcome;
  /** Derives again what a reference stood for that the object has forgotten; undefined where it cannot. */
  restore?(id: number): Pending | undefined;

  abstract readonly unsentBytes: number;

  /** Sends calls and results that have been written. */
  abstract flushOthers(): void;

  get travelling(): Travelling {
    this.openTravelling ??= new Travelling(this);
    return this.openTravelling;
  }

  /** Returns the state of an extension on this connection. */
  state<State extends ExtensionState>(Kind: new (peer: this) => State): State {
    for (const state of this.states) if (state instanceof Kind) return state;
    const made = new Kind(this);
    this.states = [...this.states, made];
    return made;
  }

  /** Notes that something is going on, which an object has to stay awake for, until `finished` is called as often. */
  started(): void {}

  finished(): void {}

  /** Notes that something is going on until what it returns is called, be it more than once. */
  busy(): () => void {
    return () => {};
  }
}
