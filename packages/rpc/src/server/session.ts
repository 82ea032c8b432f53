import { fromMessage, toMessage } from '@lumenize/structured-clone/messages';
import { CLOSE_EXPIRED, CLOSE_MALFORMED, CLOSE_POLICY, CLOSE_TOO_LARGE, closeReason } from '../closes.ts';
import { exceeded, isRefusal, malformed, RpcError } from '../errors.ts';
import type { Frame } from '../peer/call.ts';
import { answersOf, Peer } from '../peer/peer.ts';
import { json } from '../protocol.ts';
import type { Served, Transport } from '../transport/transport.ts';
import type { Caller } from '../types/call-context.ts';
import type { Message } from '../types/message.ts';
import type { ServerAnswers } from './answers.ts';
import { Backlog } from './backlog.ts';
import { expiredError, isExpired } from './callers.ts';
import type { RunningCall } from './context.ts';
import { costOf } from './cost.ts';
import { Gate } from './gate.ts';
import type { OfferedClient } from './offer.ts';
import { asFrameError } from './report.ts';
import type { SessionHost } from './session-host.ts';
import type { ServerSettings } from './settings.ts';
import type { ResultStore } from './stored-results.ts';
import type { Topics } from './topics/topics.ts';
import { Turns } from './turns.ts';

/** A message of which the client is told before, since nothing else can arrive while it does, in bytes. */
const LARGE_BYTES = 65_536;
/** Ids of another life of a session begin at the time, in steps that no life fills before the next one begins. */
const EPOCH_SECONDS = 1_700_000_000;
const IDS_A_SECOND = 10_000;

/** The server's side of a connection. */
export class Session extends Peer implements Served {
  declare readonly settings: ServerSettings;
  declare readonly transport: Transport;
  declare readonly turns: Turns;
  declare private readonly host: SessionHost;
  /** True once the connection has ended. Frames that still arrive over it do not run. */
  declare isOver: boolean;
  declare answers: ServerAnswers | undefined;
  /** True once frames that arrive do not run: the client was told from which one on. */
  declare private isLate: boolean;
  declare private waking: PromiseWithResolvers<void> | undefined;
  /** Made with the first message: most connections are idle. */
  declare private opened: Gate | undefined;
  /** The error of the frame that is being refused. */
  declare private refused: RpcError | undefined;
  /** The running calls that the object counts. */
  declare private running: number;
  /** The memory of the frames that have arrived since data inside of chains was last let go of, at most. */
  declare private received: number;
  /** When the session was made. */
  private readonly acceptedAt = Date.now();
  /** The message that is handled. */
  declare private arriving: Message | undefined;

  constructor(settings: ServerSettings, target: object, transport: Transport, host: SessionHost = {}) {
    super(settings, target);
    this.transport = transport;
    this.host = host;
    this.turns = new Turns(this);
    this.isOver = this.isLate = false;
    this.isReady = true;
    this.waking = this.opened = this.refused = this.arriving = undefined;
    this.running = this.received = 0;
    if (transport instanceof Backlog) {
      transport.session = this;
      this.turns.hold(transport.isFull);
    }
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

  /** The topics of the object, if there are any. */
  get publishing(): Topics | undefined {
    return this.host.publishing?.();
  }

  get stored(): () => ResultStore {
    return this.host.stored!;
  }

  /** The caller, if this side knows. */
  get caller(): Caller | undefined {
    return this.host.caller;
  }

  private get hasExpired(): boolean {
    const { caller } = this;
    return caller?.expiresAt !== undefined && isExpired(caller);
  }

  // What is sent.

  /** Events that were published come before answers, and what new subscribers have missed behind them. */
  override flush(): void {
    if (this.turns.isBrief) return;
    super.flush();
    this.publishing?.announce(this);
  }

  protected override refusal(): RpcError | undefined {
    return this.isOver ? new RpcError('REFERENCE_LOST', 'the connection has ended') : undefined;
  }

  protected override send(frame: Frame): void {
    // Also a client that sends nothing is called by nobody any more.
    if (this.hasExpired) return this.end(CLOSE_EXPIRED, expiredError());
    frame.sent = 1;
    this.signal(toMessage(frame.text, frame.tail ?? []));
  }

  override signal(message: Message): void {
    if (this.isOver) return;
    const { counts } = this.settings.shared;
    counts.framesSent++;
    counts.bytesSent += message.length;
    if (message.length > LARGE_BYTES) this.transport.send(`{"coming":${message.length}}`);
    this.transport.send(message);
    this.watch();
  }

  // What arrives.

  override receive(message: Message): void {
    // Calls in a frame that was still under way may have been sent again since, over another connection.
    if (this.isOver || this.isLate) return;
    const { limits, shared } = this.settings;
    shared.counts.framesReceived++;
    shared.counts.bytesReceived += message.length;
    try {
      // A batch cannot be told of it before its end: its calls are refused one by one.
      if (this.hasExpired && !this.settings.isBatch) return this.drain(firstIdOf(message));
      if (message.length > limits.maxMessageBytes) throw exceeded('maxMessageBytes', limits, 'TOO_LARGE');
      this.turns.event();
      if (this.received > limits.maxBytesInFlight) {
        this.answers?.letGo();
        this.received = 0;
      }
      this.arriving = message;
      super.receive(message);
      // Data inside of chains may be as large as the frames that it came with.
      if (this.answers?.mayHoldData) this.received += costOf(message);
    } catch (error) {
      this.broken(asFrameError(error));
    }
    this.arriving = undefined;
    this.watch();
  }

  protected override handle(name: string, signal: Record<string, unknown>, tail: Uint8Array | undefined): unknown {
    const { [name]: given } = Object(signal) as Record<string, unknown>;
    if (name === 'again') {
      const { open, ms } = signal;
      if (!Array.isArray(given) || !Array.isArray(open) || typeof ms !== 'number') throw malformed('again');
      // The client has measured the age when it sent the frame, which was after the connection had been accepted.
      this.run(given, tail, open, ms + Date.now() - this.acceptedAt);
      return undefined;
    }
    if (!this.gate.signal(given)) {
      this.broken(new RpcError('RATE_LIMITED', 'too many signals'), CLOSE_POLICY);
    } else if (name === 'read') {
      if (this.transport instanceof Backlog) this.transport.read(given);
    } else if (this.turns.isTaken && name !== 'cancel') {
      this.wait();
      if (this.isOver) return undefined;
      // What calls use that wait for their turn is not let go of before they have run.
      const handled = this.turns.later(() => super.handle(name, signal, tail));
      handled.catch((error) => this.broken(asFrameError(error)));
    } else return super.handle(name, signal, tail);
    return undefined;
  }

  /** Runs the calls of a frame, or refuses all of them. */
  protected override run(frame: unknown[], tail: Uint8Array | undefined, open?: unknown[], ageMs?: number): void {
    const gate = this.opened ?? this.gate;
    const answers = this.answers ?? (answersOf(this) as ServerAnswers);
    const { queued, waiting } = answers;
    const { size } = waiting;
    const message = this.arriving!;
    const refused = gate.refuse(frame, message, waiting);
    if (refused !== undefined) this.settings.shared.refused(refused, 'a frame', this.caller);
    this.refused = refused;
    const running = answers.run(frame, tail, { open, ageMs, refused });
    if (waiting.size > size) running.cost = gate.hold(message);
    if (answers.queued > queued && refused === undefined) this.wait();
    if (refused !== undefined && gate.isTooFast) this.end(CLOSE_POLICY, refused!);
  }

  /** Notes that the message waits for its turn, or a part of it. */
  private wait(): void {
    if (this.transport instanceof Backlog) this.transport.wait(costOf(this.arriving!));
  }

  private get gate(): Gate {
    this.opened ??= new Gate(this.settings, this.caller);
    return this.opened;
  }

  /** Returns the reason why a call cannot run while so many others do; undefined if it can. */
  full(running: number): RpcError | undefined {
    if (this.hasExpired) return expiredError();
    const { limits, shared } = this.settings;
    if (running >= limits.maxCallsInFlight) return exceeded('maxCallsInFlight', limits, 'OVERLOADED');
    if (shared.calls - this.running + running < limits.maxObjectCallsInFlight) return undefined;
    return exceeded('maxObjectCallsInFlight', limits, 'OVERLOADED');
  }

  override answered(): void {
    this.settings.shared.counts.callsSucceeded++;
  }

  /** Called when a call has failed. */
  failed(error: unknown, call: RunningCall): void {
    const { shared } = this.settings;
    shared.counts.callsSucceeded--; // it is answered, too
    shared.counts.callsFailed++;
    if (!isRefusal(error)) shared.error(error, call.name, call);
    else if (error !== this.refused) shared.refused(error, call.name, this.caller, call);
  }

  // The end, and what keeps the object awake.

  /** Resolves when nothing is going on any more that would be lost if the object left memory; undefined if nothing is. */
  get idle(): Promise<void> | undefined {
    return this.waking?.promise;
  }

  /** Keeps the object awake as long as something is going on, and no longer. */
  protected watch(): void {
    const waiting = this.answers?.waiting.size ?? 0;
    const running = waiting - (this.answers?.queued ?? 0);
    this.settings.shared.calls += running - this.running;
    this.running = running;
    const isBusy = this.calls.size > 0 || waiting > 0 || (this.references?.streams ?? 0) > 0;
    if (isBusy === (this.waking !== undefined)) return;
    if (this.waking !== undefined) {
      this.waking.resolve();
      this.waking = undefined;
    } else {
      this.waking = Promise.withResolvers();
      this.host.keepAwake?.(this.waking.promise);
    }
  }

  /**
   * Tells the client to leave the connection and to come back. Frames from an id on do not run; those that run are
   * answered.
   */
  drain(from: number = Number.MAX_SAFE_INTEGER): void {
    this.isLate = from !== Number.MAX_SAFE_INTEGER;
    this.signal(json({ from }));
  }

  /** Ends the connection because of a frame. If this side has failed, the client gets no details. */
  override broken(error: RpcError, code = error.code === 'TOO_LARGE' ? CLOSE_TOO_LARGE : CLOSE_MALFORMED): void {
    if (this.isOver) return;
    const { shared } = this.settings;
    if (error.code === 'INTERNAL') shared.error(error.cause, 'a frame');
    else shared.refused(error, 'a frame', this.caller);
    this.end(code, error);
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
    this.isReady = false;
    const error = new RpcError('REFERENCE_LOST', 'the connection has ended');
    if (this.transport instanceof Backlog) this.transport.over();
    this.turns.clear();
    this.lose(error);
    for (const id of [...this.calls.keys()]) this.settleCall(id)?.reject(error);
    for (const end of this.ends ?? []) end(error);
    this.watch();
  }
}

/** The first id of a frame of calls. What else arrives late is dropped, and none of it counts as unsent. */
function firstIdOf(message: Message): number {
  const { text } = fromMessage(message);
  return Number(/^\[(\d+)/.exec(text)?.[1] ?? Number.MAX_SAFE_INTEGER - 1);
}
