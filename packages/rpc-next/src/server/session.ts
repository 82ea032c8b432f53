import { fromMessage, toMessage } from '@lumenize/structured-clone-next/messages';
import { CLOSE_MALFORMED, CLOSE_TOO_LARGE, closeReason } from '../closes.ts';
import { asRpcError, exceeded, malformed, RpcError } from '../errors.ts';
import { answersOf } from '../peer/answers.ts';
import type { Frame } from '../peer/call.ts';
import type { Caller } from '../peer/context.ts';
import type { Settings } from '../peer/options.ts';
import { type Message, Peer } from '../peer/peer.ts';
import type { Served, Transport } from '../transport/transport.ts';
import { isExpired } from './callers.ts';
import type { OfferedClient } from './offer.ts';
import type { StoredResults } from './stored-results.ts';
import type { Topics } from './topics/topics.ts';

/** A message of which the client is told before, since nothing else can arrive while it does, in bytes. */
const LARGE_BYTES = 65_536;

/** Ids of another life of a session begin at the time, in steps that no life fills before the next one begins. */
const EPOCH_SECONDS = 1_700_000_000;
const IDS_A_SECOND = 10_000;

/** Who is at the other end of a session, and what its object gives it. */
export interface SessionHost {
  readonly caller?: Caller | undefined;
  /** Identifies the client; undefined for those that do not say who they are. */
  readonly client?: OfferedClient | undefined;
  /** Returns the topics of the object. */
  readonly topics?: (() => Topics) | undefined;
  /** Returns the topics of the object, if there are any. */
  readonly publishing?: (() => Topics | undefined) | undefined;
  /** Returns the stored results of exactly-once calls. */
  readonly stored?: (() => StoredResults) | undefined;
  /** Keeps the object awake until a promise settles, whatever event of the object is handled. */
  readonly keepAwake?: ((idle: Promise<void>) => void) | undefined;
}

/** The server's side of a connection. */
export class Session extends Peer implements Served {
  declare readonly transport: Transport;
  declare private readonly host: SessionHost;
  /** True once the connection has ended. Frames that still arrive over it do not run. */
  declare isOver: boolean;
  /** True once frames that arrive do not run: the client was told from which one on. */
  declare private isLate: boolean;
  declare private waking: PromiseWithResolvers<void> | undefined;

  constructor(settings: Settings, target: object, transport: Transport, host: SessionHost = {}) {
    super(settings, target);
    this.transport = transport;
    this.host = host;
    this.isOver = this.isLate = false;
    this.waking = undefined;
    settings.observe?.(this, undefined);
  }

  /** Begins another life of the session, whose ids none of the earlier ones has given: the object has left memory. */
  restart(): void {
    this.nextId = this.firstReference = Math.floor((Date.now() / 1000 - EPOCH_SECONDS) * IDS_A_SECOND);
  }

  get client(): OfferedClient | undefined {
    return this.host.client;
  }

  get topics(): (() => Topics) | undefined {
    return this.host.topics;
  }

  /** Events that were published come first, then answers, and then what new subscribers have missed. */
  override flush(): void {
    const topics = this.host.publishing?.();
    topics?.flush();
    super.flush();
    topics?.announce();
  }

  get stored(): () => StoredResults {
    return this.host.stored!;
  }

  /** Resolves when nothing is going on any more that would be lost if the object left memory; undefined if nothing is. */
  get idle(): Promise<void> | undefined {
    return this.waking?.promise;
  }

  private get isBusy(): boolean {
    return this.calls.size > 0 || (this.answers?.waiting.size ?? 0) > 0 || (this.references?.streams ?? 0) > 0;
  }

  /** Keeps the object awake as long as something is going on, and no longer. */
  private watch(): void {
    if (this.isBusy === (this.waking !== undefined)) return;
    if (this.waking !== undefined) {
      this.waking.resolve();
      this.waking = undefined;
    } else {
      this.waking = Promise.withResolvers();
      this.host.keepAwake?.(this.waking.promise);
    }
  }

  override get caller(): Caller | undefined {
    return this.host.caller;
  }

  protected override refusal(): RpcError | undefined {
    return this.isOver ? new RpcError('REFERENCE_LOST', 'the connection has ended') : undefined;
  }

  protected override send(frame: Frame): void {
    frame.sent = 1;
    this.signal(toMessage(frame.text, frame.tail ?? []));
  }

  override signal(message: Message): void {
    if (this.isOver) return;
    if (message.length > LARGE_BYTES) this.transport.send(`{"coming":${message.length}}`);
    this.transport.send(message);
    this.watch();
  }

  override receive(message: Message): void {
    // Calls in a frame that was still under way may have been sent again since, over another connection.
    if (this.isOver || this.isLate) return;
    try {
      const { limits } = this.settings;
      if (this.caller !== undefined && isExpired(this.caller)) return this.drain(firstIdOf(message));
      if (message.length > limits.maxMessageBytes) throw exceeded('maxMessageBytes', limits, 'TOO_LARGE');
      super.receive(message);
    } catch (error) {
      this.broken(asRpcError(error, 'INTERNAL'));
    }
    this.watch();
  }

  protected override handle(name: string, signal: Record<string, unknown>, tail: Uint8Array | undefined): unknown {
    if (name !== 'again') return super.handle(name, signal, tail);
    const { again, open, ms } = signal;
    if (!Array.isArray(again) || !Array.isArray(open) || typeof ms !== 'number') throw malformed('again');
    answersOf(this).run(again, tail, new Set(open), ms);
    return undefined;
  }

  /**
   * Tells the client to leave the connection and to come back. Frames from an id on do not run; those that run are
   * answered.
   */
  drain(from: number = Number.MAX_SAFE_INTEGER): void {
    this.isLate = from !== Number.MAX_SAFE_INTEGER;
    this.signal(JSON.stringify({ from }));
  }

  override broken(error: RpcError): void {
    this.end(error.code === 'TOO_LARGE' ? CLOSE_TOO_LARGE : CLOSE_MALFORMED, error);
  }

  /** Ends the connection, with all that runs for it. */
  end(code: number, error: RpcError): void {
    if (this.isOver) return;
    this.transport.close(code, closeReason(error));
    // The client may never answer the close.
    this.closed();
  }

  /** Does nothing: only the stub of the target closes its connection so, and that exists on the client. */
  override close(): void {}

  /** Called when the connection has ended: releases what the client held, and aborts the calls that run for it. */
  closed(): void {
    if (this.isOver) return;
    this.isOver = true;
    const error = new RpcError('REFERENCE_LOST', 'the connection has ended');
    this.lose(error);
    for (const id of [...this.calls.keys()]) this.settleCall(id)?.reject(error);
    this.watch();
  }
}

/** The first id of a frame of calls. What else arrives late is dropped, and none of it counts as unsent. */
function firstIdOf(message: Message): number {
  const { text } = fromMessage(message);
  return Number(/^\[(\d+)/.exec(text)?.[1] ?? Number.MAX_SAFE_INTEGER - 1);
}
