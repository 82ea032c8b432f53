import { RpcError } from '../../errors/rpc-error.ts';
import { asFrameError, CLOSE_EXPIRED } from '../../protocol/errors.ts';
import { WHOLE_FRAME } from '../../protocol/frame-reader.ts';
import { FrameWriter } from '../../protocol/frame-writer.ts';
import type { Message } from '../../protocol/message.ts';
import { RefusedFrame } from '../../protocol/operation.ts';
import { answerUnsent, type Outcome, outcomeEntry, type Pending, refusalFrame } from '../../protocol/result-frame.ts';
import {
  ABORT_SIGNAL,
  CHANNELS,
  firstNumber,
  ITERABLE,
  NOTICE_ID,
  PROMISE,
  READABLE,
  REVERSED,
  WRITABLE,
} from '../../protocol/tags.ts';
import { readToken, type TokenFrame } from '../../protocol/token.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import { outcomeOf } from '../../session/incoming/perform.ts';
import type { SessionSettings } from '../../session/settings.ts';
import { NOTHING_BY_REFERENCE } from '../delivery/run-again.ts';
import { Backlog, type BacklogHost } from '../limits/backlog.ts';
import type { Gate } from '../limits/gate.ts';
import type { Reauthenticate } from '../options.ts';
import { expiredError, hasNoIdentity, isExpired, newCaller } from './caller.ts';

/**
 * Time in milliseconds, and number of frames, for which a connection stays open after its caller's identity has
 * expired.
 */
const GRACE_MS = 10_000;
const MAX_LATE_FRAMES = 100;

/** Takes the place of the id of the first call, in a frame without calls. */
const NO_CALLS = -1;

/** Tags of values that open a channel. */
const OPENING = [READABLE, WRITABLE, ITERABLE, PROMISE, ABORT_SIGNAL];

/** The session whose caller renews its identity. */
export interface RenewalHost extends BacklogHost {
  readonly backlog: Backlog;
  readonly caller: Caller | undefined;
  readonly settings: Pick<SessionSettings, 'read' | 'writing'>;
  readonly bounds: Pick<Gate, 'take'>;
  /** Serves this caller from now on; throws if that is not possible. */
  renew(caller: Caller): void;
  /** Sends a frame at once; nothing else of the session has to precede it. */
  sendFrame(message: Message): void;
  onError(error: unknown, method: string, call: undefined): void;
  onRefused(error: RpcError, what: string | undefined): void;
}

/**
 * The renewal of a connection's identity. It handles frames with a token, and frames that arrive after the identity has
 * expired.
 */
export class Renewal {
  readonly #host: RenewalHost;
  readonly #reauthenticate: Reauthenticate | undefined;
  /** Set while frames arrive late: since when, and how many. */
  #late: { since: number; frames: number } | undefined;
  /**
   * The late frames that hold only signals. They may let go of what refused calls before them use, so they wait until
   * the client has sent these calls again.
   */
  readonly #signals: Backlog;
  /** Set while late frames wait: lets the object hibernate again. */
  #awake: (() => void) | undefined;

  /** Without `reauthenticate`, a caller whose identity has expired has to connect again. */
  constructor(host: RenewalHost, reauthenticate: Reauthenticate | undefined) {
    this.#host = host;
    this.#signals = new Backlog(host, Infinity);
    if (host.caller !== undefined) this.#reauthenticate = reauthenticate;
  }

  /** Handles a frame with a token: identifies the caller, at once if `reauthenticate` is synchronous. */
  receive(message: string): void {
    let frame: TokenFrame;
    try {
      frame = readToken(message);
    } catch (error) {
      return this.#host.refuseConnection(asFrameError(error));
    }
    const { callId, token } = frame;
    let found: Pending;
    try {
      if (this.#reauthenticate === undefined) throw new RpcError('METHOD_NOT_FOUND', NOT_TAKEN);
      const refusal = this.#host.bounds.take(1);
      if (refusal !== undefined) throw refusal;
      found = outcomeOf(this.#reauthenticate(token, this.#host.caller!));
    } catch (error) {
      found = { ok: false, error };
    }
    if (found instanceof Promise) void this.#wait(callId, found);
    else this.#decide(callId, found);
  }

  /**
   * Refuses a frame that arrives after the caller's identity has expired. At the end of the grace period it also ends
   * the connection, and reads only the id of the frame's first call.
   */
  receiveLate(message: Message): void {
    if (this.#takeLate(message)) return;
    const answer = answerUnsent(message, WHOLE_FRAME, expiredError());
    if (answer !== undefined) this.#host.sendFrame(answer);
    this.#host.refuseConnection(expiredError(), CLOSE_EXPIRED);
  }

  /**
   * Refuses the calls of a late frame, so that the client can send them again with a new token; holds a frame without
   * calls until then. Returns false if the connection has to end: the grace period is over, or the frame can be neither
   * refused nor held.
   */
  #takeLate(message: Message): boolean {
    if (this.#reauthenticate === undefined) return false;
    this.#late ??= { since: Date.now(), frames: 0 };
    const late = this.#late;
    if (++late.frames > MAX_LATE_FRAMES || Date.now() - late.since > GRACE_MS) return false;
    const firstId = this.#firstIdOf(message);
    if (firstId === undefined) return false;
    if (firstId === NO_CALLS) {
      if (this.#awake === undefined) this.#stayAwake();
      const hasSignals = firstNumber(message)! >= 0;
      (hasSignals ? this.#signals : this.#host.backlog).hold(message);
    }
    // The first refusal or notice tells the client.
    if (firstId !== NO_CALLS || late.frames === 1) {
      const error = new RpcError('EXPIRED', expiredError().message, { data: { renewable: true } });
      // No call has the id of notices, so the client takes the refusal for a notice.
      this.#host.sendFrame(refusalFrame(firstId === NO_CALLS ? NOTICE_ID : firstId, WHOLE_FRAME, error));
      this.#host.onRefused(error, undefined);
    }
    return true;
  }

  /**
   * Keeps the object awake for a grace period, because it would forget the frames that wait. At the end, ends the
   * connection if there is no new token.
   */
  #stayAwake(): void {
    const host = this.#host;
    const before = this.#awake;
    const done = host.busy();
    const timer = setTimeout(() => {
      if (this.#late === undefined) this.release();
      // The decision about a token that is being looked at ends the connection, too.
      else if (!host.backlog.isAsking) host.refuseConnection(expiredError(), CLOSE_EXPIRED);
      done();
    }, GRACE_MS);
    this.#awake = () => {
      clearTimeout(timer);
      done();
    };
    before?.();
  }

  /**
   * Handles the late signals, if the connection still exists: the client has sent again the calls that were refused.
   */
  release(): void {
    const awake = this.#awake;
    this.#awake = undefined;
    void this.#signals.release();
    awake?.();
  }

  /**
   * Reads a frame without acting on it. Returns the id of its first call, or `NO_CALLS`; undefined if the frame can be
   * neither refused nor held.
   */
  #firstIdOf(message: Message): number | undefined {
    const first = firstNumber(message);
    if (first === REVERSED || first === CHANNELS) return NO_CALLS;
    if (!Number.isSafeInteger(first) || first! < 0) return undefined;
    let opensChannels = false;
    const revive = (name: string) => {
      if (OPENING.includes(name)) opensChannels = true;
      return null;
    };
    try {
      const frame = this.#host.settings.read(message, { ...NOTHING_BY_REFERENCE, revive });
      // The chunks of its channels are under way, and would arrive before the call that is sent again.
      if (opensChannels || frame?.kind !== 'calls') return undefined;
      return frame.refusal !== undefined || frame.operations.length > 0 ? frame.firstId : NO_CALLS;
    } catch (error) {
      return error instanceof RefusedFrame ? error.firstId : undefined;
    }
  }

  async #wait(callId: number, found: Promise<Outcome>): Promise<void> {
    this.#host.backlog.isAsking = true;
    const done = this.#host.busy();
    const outcome = await found;
    this.#host.backlog.isAsking = false;
    this.#decide(callId, outcome);
    done();
  }

  /** Gives the caller the identity that was found, and answers the token. */
  #decide(callId: number, found: Outcome): void {
    const host = this.#host;
    if (host.isOver) return;
    let refusal: RpcError | undefined;
    try {
      if (!found.ok) throw found.error;
      // A Response is how `authenticate` may deny access over HTTP.
      if (hasNoIdentity(found.value) || found.value instanceof Response) throw new RpcError('DENIED', REFUSED);
      const caller = newCaller(found.value, host.caller!.connectionId);
      if (isExpired(caller.expiresAt)) throw expiredError();
      host.renew(caller);
      this.#late = undefined;
      if (this.#awake !== undefined) this.#stayAwake();
    } catch (error) {
      refusal = error instanceof RpcError ? error : new RpcError('DENIED', REFUSED);
      if (error !== refusal) host.onError(error, 'reauthenticate', undefined);
    }
    this.#answer(callId, refusal);
    void host.backlog.release();
  }

  /** Answers a token. Ends the connection if the token was refused and the caller's identity has expired. */
  #answer(callId: number, error: RpcError | undefined): void {
    const answer = new FrameWriter(this.#host.settings.writing);
    try {
      const expiresAt = this.#host.caller?.expiresAt;
      const lifetime = expiresAt === undefined ? undefined : expiresAt - Date.now();
      const outcome = error === undefined ? { ok: true, value: lifetime } : { ok: false, error };
      answer.write(outcomeEntry(outcome as Outcome), callId);
    } catch (reason) {
      // The data of the error cannot be sent.
      this.#host.onError(reason, 'reauthenticate', undefined);
      answer.write(outcomeEntry({ ok: false, error: new RpcError(error!.code, error!.message) }), callId);
    }
    this.#host.sendFrame(answer.finish(answer.first));
    if (error === undefined) return;
    this.#host.onRefused(error, 'a token');
    if (isExpired(this.#host.caller?.expiresAt)) this.#host.refuseConnection(expiredError(), CLOSE_EXPIRED);
  }
}

/**
 * Makes the frame that tells a client, unasked, how long its identity stays valid. The time is a duration in
 * milliseconds, since clocks differ.
 */
export function lifetimeFrame(expiresAt: number): Message {
  return JSON.stringify([NOTICE_ID, [expiresAt - Date.now()]]);
}

const REFUSED = 'the new token was refused';
const NOT_TAKEN = 'the server takes no token over an open connection: connect again with it';
