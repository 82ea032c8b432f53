import { createEncoder } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { answerUnsent, refusalFrame } from '../../protocol/answer-unsent.ts';
import type { CallFrame } from '../../protocol/call-frame.ts';
import { CLOSE_EXPIRED, CLOSE_MALFORMED } from '../../protocol/close-codes.ts';
import { ABORT_SIGNAL, READABLE } from '../../protocol/extension.ts';
import { firstValue } from '../../protocol/first-value.ts';
import { CHANNELS, REVERSED, TOKEN_CALL_ID } from '../../protocol/frame-kind.ts';
import { RefusedFrame, WHOLE_FRAME } from '../../protocol/frame-reader.ts';
import { asFrameError } from '../../protocol/malformed.ts';
import type { Message } from '../../protocol/message.ts';
import { ResultFrame } from '../../protocol/result-writer.ts';
import { readToken, type TokenFrame } from '../../protocol/token.ts';
import type { Admission } from '../../session/incoming/admission.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import type { SessionSettings } from '../../session/settings.ts';
import { NOTHING_BY_REFERENCE } from '../delivery/read-again.ts';
import type { HoldingHost } from '../limits/backlog.ts';
import type { Reauthenticate } from '../options.ts';
import { expiredError, isExpired, isNobody, newCaller } from './caller.ts';

/** How long, in milliseconds, and for how many frames, a connection stays open whose caller has expired. */
const GRACE_MS = 10_000;
const MAX_LATE_FRAMES = 100;

/** The session whose caller's identity is renewed. */
export interface RenewalHost extends HoldingHost {
  /** Has a frame wait until `goOn`. */
  hold(message: Message): void;
  readonly caller: Caller | undefined;
  /** True if nothing outlives a frame of the connection. */
  readonly isStateless: boolean;
  readonly settings: Pick<SessionSettings, 'read'>;
  readonly admission: Pick<Admission, 'take'>;
  /** Serves the caller from now on; throws where that cannot be. */
  renew(caller: Caller): void;
  /** Sends a frame that nothing else of the session has to come before. */
  sendFrame(message: Message): void;
  onError(error: unknown, method: string, call: undefined): void;
  onRefused(error: RpcError, what: string | undefined): void;
}

/** The change of a connection's identity: made when a token comes, or a frame too late. */
export class Renewal {
  readonly #host: RenewalHost;
  readonly #reauthenticate: Reauthenticate | undefined;
  #isAsking = false;
  /** Since when frames have come too late, how many, and whether the client knows. */
  #late: { since: number; frames: number; isTold: boolean } | undefined;

  constructor(host: RenewalHost, reauthenticate: Reauthenticate | undefined) {
    this.#host = host;
    // Over HTTP each request says anew who calls.
    if (host.caller !== undefined && !host.isStateless) this.#reauthenticate = reauthenticate;
  }

  /** True while `reauthenticate` is at work: frames that arrive have to wait. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** Takes a frame with a token, and asks who the caller is now: at once where that is known at once. */
  receive(bytes: Uint8Array): void {
    let frame: TokenFrame;
    try {
      frame = readToken(bytes);
    } catch (error) {
      return this.#host.refuseConnection(asFrameError(error), CLOSE_MALFORMED);
    }
    const refusal = this.#reauthenticate === undefined ? connectAgain() : this.#host.admission.take(1);
    if (refusal !== undefined) return this.#answer(frame.callId, refusal);
    let answer: unknown;
    try {
      answer = this.#reauthenticate!(frame.token, this.#host.caller!);
    } catch (error) {
      return this.#decided(frame.callId, error ?? new Error(REJECTED));
    }
    if (isThenable(answer)) void this.#wait(frame.callId, answer);
    else this.#decided(frame.callId, this.#renew(answer));
  }

  /** Refuses a frame of a caller who has expired, and in the end the connection with it: then only its first call's id is read. */
  receiveLate(message: Message): void {
    if (this.#takeLate(message)) return;
    const answer = answerUnsent(message, WHOLE_FRAME, expiredError());
    if (answer !== undefined) this.#host.sendFrame(answer);
    this.#host.refuseConnection(expiredError(), CLOSE_EXPIRED);
  }

  /**
   * Takes a frame of a caller who has expired: calls are told so, and can be made again when there is a new token; what is not
   * answered waits for that. False where the connection has to end: it has had its time, or nothing can be told.
   */
  #takeLate(message: Message): boolean {
    if (this.#reauthenticate === undefined) return false;
    this.#late ??= { since: Date.now(), frames: 0, isTold: false };
    const late = this.#late;
    if (++late.frames > MAX_LATE_FRAMES || Date.now() - late.since > GRACE_MS) return false;
    const calls = this.#callsOf(message);
    if (calls === undefined) return false;
    if (calls !== NO_CALLS) this.#tell(calls);
    else {
      this.#host.hold(message);
      // No call has this number, so that it is only news.
      if (!late.isTold) this.#tell(TOKEN_CALL_ID);
    }
    late.isTold = true;
    return true;
  }

  /** The id of the first call of a frame, or `NO_CALLS`; undefined for frames that can neither be refused nor wait. */
  #callsOf(message: Message): number | undefined {
    const first = firstValue(message);
    if (first === REVERSED || first === CHANNELS) return NO_CALLS;
    if (!Number.isSafeInteger(first) || (first as number) < 0) return undefined;
    try {
      const frame = this.#peek(message);
      return frame === undefined || frame.operations.length > 0 ? frame?.firstId : NO_CALLS;
    } catch (error) {
      return error instanceof RefusedFrame ? error.firstId : undefined;
    }
  }

  /** Reads a call frame and does nothing about it; undefined where it is none that can be made again. */
  #peek(message: Message): CallFrame | undefined {
    let opensChannels = false;
    const revive = (kind: number) => {
      if (kind >= READABLE && kind <= ABORT_SIGNAL) opensChannels = true;
    };
    const frame = this.#host.settings.read(message, { ...NOTHING_BY_REFERENCE, revive });
    // Their chunks are on their way, and would come before the call when that is made again.
    return opensChannels || frame?.kind !== 'calls' ? undefined : frame;
  }

  #tell(firstId: number): void {
    const error = renewableError();
    this.#host.sendFrame(refusalFrame(firstId, WHOLE_FRAME, error));
    this.#host.onRefused(error, undefined);
  }

  async #wait(callId: number, answer: PromiseLike<unknown>): Promise<void> {
    this.#isAsking = true;
    const done = this.#host.busy();
    const error = await answer.then(
      (identity) => (this.#host.isOver ? undefined : this.#renew(identity)),
      (reason) => reason ?? new Error(REJECTED),
    );
    this.#isAsking = false;
    this.#decided(callId, error);
    done();
  }

  /** Has the caller be who it is now; returns why that cannot be, undefined where it is. */
  #renew(identity: unknown): unknown {
    if (isNobody(identity)) return new RpcError('DENIED', REFUSED);
    const caller = newCaller(identity, this.#host.caller!.connectionId);
    if (isExpired(caller.expiresAt)) return expiredError();
    try {
      this.#host.renew(caller);
      this.#late = undefined;
    } catch (error) {
      return error ?? new Error(REJECTED);
    }
    return undefined;
  }

  #decided(callId: number, error: unknown): void {
    if (this.#host.isOver) return;
    if (error === undefined || error instanceof RpcError) this.#answer(callId, error);
    else {
      this.#host.onError(error, 'reauthenticate', undefined);
      this.#answer(callId, new RpcError('DENIED', REFUSED));
    }
    this.#host.goOn();
  }

  /** Answers a token, and ends the connection where one was refused of a caller who has expired. */
  #answer(callId: number, error: RpcError | undefined): void {
    const answer = new ResultFrame(createEncoder(), false);
    try {
      if (error === undefined) answer.value(callId, lifetimeOf(this.#host.caller));
      else answer.rpcError(callId, error);
    } catch (reason) {
      // Its data cannot be sent.
      this.#host.onError(reason, 'reauthenticate', undefined);
      answer.rpcError(callId, new RpcError(error!.code, error!.message));
    }
    this.#host.sendFrame(answer.finish());
    if (error === undefined) return;
    this.#host.onRefused(error, 'a token');
    if (isExpired(this.#host.caller?.expiresAt)) this.#host.refuseConnection(expiredError(), CLOSE_EXPIRED);
  }
}

/** Makes the frame that tells a client unasked for how long its identity is valid; undefined where that is for ever. */
export function lifetimeFrame(caller: Caller | undefined): Message | undefined {
  const lifetime = lifetimeOf(caller);
  if (lifetime === undefined) return undefined;
  const news = new ResultFrame(createEncoder(), false);
  news.value(TOKEN_CALL_ID, lifetime);
  return news.finish();
}

/** In milliseconds: clocks differ. */
function lifetimeOf(caller: Caller | undefined): number | undefined {
  return caller?.expiresAt === undefined ? undefined : caller.expiresAt - Date.now();
}

const REFUSED = 'the new token was refused';
const REJECTED = 'undefined was thrown';
const NO_CALLS = -1;

/** Makes the error for a client that shows a token where none is asked for. */
function connectAgain(): RpcError {
  return new RpcError('METHOD_NOT_FOUND', 'the server takes no token over an open connection: connect again with it');
}

/** Makes the error for a caller that may renew its identity. */
function renewableError(): RpcError {
  return new RpcError('EXPIRED', expiredError().message, { data: { renewable: true } });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
