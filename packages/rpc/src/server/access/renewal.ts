import { toJson } from '@lumenize/structured-clone/messages';
import { RpcError } from '../../errors/rpc-error.ts';
import { asFrameError, CLOSE_EXPIRED } from '../../protocol/errors.ts';
import { WHOLE_FRAME } from '../../protocol/frame-reader.ts';
import { FrameWriter } from '../../protocol/frame-writer.ts';
import type { Message } from '../../protocol/message.ts';
import { answerUnsent, type Outcome, outcomeEntry, type Pending, refusalFrame } from '../../protocol/result-frame.ts';
import { firstNumber, NOTICE_ID } from '../../protocol/tags.ts';
import { readToken, type TokenFrame } from '../../protocol/token.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import { outcomeOf } from '../../session/incoming/perform.ts';
import type { SessionSettings } from '../../session/settings.ts';
import type { Backlog, BacklogHost } from '../limits/backlog.ts';
import type { Gate } from '../limits/gate.ts';
import type { Reauthenticate } from '../options.ts';
import { expiredError, hasNoIdentity, isExpired, newCaller } from './caller.ts';

/** Time in milliseconds for which frames wait for a new token after the caller's identity has expired. */
const GRACE_MS = 10_000;

/** The session whose caller renews its identity. */
export interface RenewalHost extends BacklogHost {
  readonly backlog: Backlog;
  readonly caller: Caller | undefined;
  readonly settings: Pick<SessionSettings, 'writing'>;
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
  /** Set while late frames wait: the id of the first calls among them. `end` stops the wait. */
  #late: { from: number | undefined; end(): void } | undefined;

  /** Without `reauthenticate`, a caller whose identity has expired has to connect again. */
  constructor(host: RenewalHost, reauthenticate: Reauthenticate | undefined) {
    this.#host = host;
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
   * Handles a frame that arrives after the caller's identity has expired: holds it until a new token is taken. Where none
   * can be, refuses the frame and ends the connection.
   */
  receiveLate(message: Message): void {
    const host = this.#host;
    if (this.#reauthenticate === undefined) return this.expire(message);
    const isFirst = this.#late === undefined;
    this.#late ??= this.#waitForToken();
    const late = this.#late;
    host.backlog.hold(message);
    const firstId = firstNumber(message);
    const isOfCalls = late.from === undefined && firstId !== undefined && firstId >= 0;
    if (isOfCalls) late.from = firstId;
    if (host.isOver || !(isFirst || isOfCalls)) return;
    this.#tell(late.from);
    host.onRefused(expiredError(), undefined);
  }

  /** Tells the client that its identity has expired, and that calls from this id on wait for a new token. */
  #tell(from?: number): void {
    const error = new RpcError('EXPIRED', expiredError().message, { data: { from } });
    this.#host.sendFrame(refusalFrame(NOTICE_ID, WHOLE_FRAME, error));
  }

  /**
   * Keeps the object awake while frames wait for a new token, because it would forget them. At the end of the grace
   * period, ends the connection.
   */
  #waitForToken(): { from: number | undefined; end(): void } {
    const { backlog } = this.#host;
    const done = this.#host.busy();
    const timer = setTimeout(() => {
      // The decision about a token that is being looked at ends the connection, too.
      if (!backlog.isAsking) this.expire();
    }, GRACE_MS);
    const end = () => {
      clearTimeout(timer);
      done();
    };
    return { from: undefined, end };
  }

  /** Stops the wait for a new token: there is one, or the connection has ended. */
  stopWaiting(): void {
    this.#late?.end();
    this.#late = undefined;
  }

  /** Ends the connection, because there is no new token. Nothing runs of frames that wait, and of this late one. */
  expire(...late: Message[]): void {
    this.#refuse([...this.#host.backlog.take(), ...late]);
    this.#host.refuseConnection(expiredError(), CLOSE_EXPIRED);
  }

  /** Tells the client of the calls in these frames that they did not run. */
  #refuse(frames: readonly Message[]): void {
    for (const frame of frames) {
      const answer = answerUnsent(frame, WHOLE_FRAME, expiredError());
      if (answer !== undefined) this.#host.sendFrame(answer);
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
      this.stopWaiting();
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
    const isOver = error !== undefined && isExpired(this.#host.caller?.expiresAt);
    if (isOver) {
      // First, so that when the client hears that its token is refused, it knows that the connection ends, and of these
      // calls that they did not run.
      if (this.#late === undefined) this.#tell();
      this.#refuse(this.#host.backlog.take());
    }
    this.#host.sendFrame(answer.finish(answer.first));
    if (error !== undefined) this.#host.onRefused(error, 'a token');
    if (isOver) this.expire();
  }
}

/**
 * Makes the frame that tells a client, unasked, how long its identity stays valid. The time is a duration in
 * milliseconds, since clocks differ.
 */
export function lifetimeFrame(expiresAt: number): Message {
  return toJson([NOTICE_ID, [expiresAt - Date.now()]]);
}

const REFUSED = 'the new token was refused';
const NOT_TAKEN = 'the server takes no token over an open connection: connect again with it';
