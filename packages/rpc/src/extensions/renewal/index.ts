import { isFinal, RpcError } from '../../errors/rpc-error.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { isId, NOTICE_ID, TOKEN_CALL_ID } from '../../protocol/tags.ts';
import { type TokenOption, writeToken } from '../../protocol/token.ts';
import type { Extension, TokenRenewal } from '../../session/extension.ts';
import type { OutgoingFrame } from '../../session/outgoing/call.ts';
import type { Session } from '../../session/session.ts';
import { Timer } from '../../session/timer.ts';

/** The session whose token is renewed. */
interface Renewed extends Session {
  readonly options: { readonly token?: TokenOption };
  /** True if calls are sent at once. */
  isReady: boolean;
  readonly link: {
    readonly state: string;
    /** Connects again, with a new token. */
    reconnect(): void;
    /** Gives up the connection, to make another one. */
    drop(why: string): void;
    /** Gives up the connection with an error. Nothing of it continues over the next connection. */
    refuse(error: RpcError): void;
  };
  /** Limits how long calls wait, from now on. */
  limitWaiting(): void;
  /** Sends the calls that were made in the meantime. */
  release(): void;
}

/**
 * Shortest lifetime of a token that is renewed before it expires, in milliseconds. Without this bound, a token that
 * stays the same would be sent again and again.
 */
const SHORTEST_MS = 5000;

/** Sends the server a new token before the old one expires, or after it has expired, over the open connection. */
export const renewal: Extension = { name: 'renewal', renew };

/** Sends new tokens to the server over the open connection, one after the other. */
function renew(session: Renewed): TokenRenewal {
  const { link, options } = session;
  let pending: PromiseWithResolvers<void> | undefined;
  /** True if the server has said that the old token has expired. */
  let isExpired = false;
  /** True if the token under way was asked for too early: it may be that of an earlier user. */
  let isStale = false;
  /** True if the server has been sent a token that it has not answered. */
  let isShown = false;
  /** The frames that wait at the server until it is sent a token. */
  let held: readonly OutgoingFrame[] = [];
  /** Timer for sending a new token before the old one expires. */
  const ahead = new Timer();
  /** Lifetime of a token that is renewed before it expires, in milliseconds; 0 if it is not. */
  let lifetimeMs = 0;

  const show = async (shown: PromiseWithResolvers<void>): Promise<void> => {
    const { token } = options;
    // By now, the session may have another connection.
    const isCurrent = () => pending === shown && link.state === 'open';
    // All that ask for a new token in one turn share it.
    await undefined;
    isStale = false;
    try {
      const given = await (typeof token === 'function' ? token() : token);
      if (!isCurrent()) return;
      if (isStale) return show(shown);
      const message = writeToken(given);
      // Behind all calls that were made before.
      session.flush();
      isShown = true;
      for (const frame of held) frame.sent = true;
      held = [];
      session.send(message);
      session.limitWaiting();
      session.isReady = false;
    } catch (error) {
      if (!isCurrent()) return;
      if (isStale) return show(shown);
      renewal.waited(isFinal(error) ? error : new RpcError('NOT_EXECUTED', `token() failed: ${error}`));
      if (isExpired) return link.drop('without a new token');
      session.release();
      session.onError(error, 'token', undefined);
      // Several times before it expires.
      if (lifetimeMs && !isFinal(error)) ahead.set(lifetimeMs / 50, renewAhead);
    }
  };

  const renewal = {
    begin(isWanted: boolean): Promise<void> {
      const isFirst = pending === undefined;
      pending ??= Promise.withResolvers<void>();
      const { promise } = pending;
      // Prevents an unhandled rejection if nobody waits for the new token.
      promise.catch(() => {});
      if (link.state !== 'open') {
        session.limitWaiting();
        if (isFirst || isWanted) link.reconnect();
        return promise;
      }
      if (isWanted) {
        session.flush();
        session.isReady = false;
        isStale = true;
      }
      if (isFirst) show(pending);
      return promise;
    },
    expired(error: RpcError): void {
      // With a token that is under way, they may run.
      if (!isShown) holdFrom((error.data as { from?: unknown } | undefined)?.from);
      if (options.token == null) return link.refuse(error);
      isExpired = true;
      session.isReady = false;
      session.limitWaiting();
      renewal.begin(false);
    },
    callsRefused(firstId: number, error: RpcError): boolean {
      // The connection ends. With another token, the calls of the frame can be made over the next.
      const isTaken = error.code === 'EXPIRED' && takeBack(firstId);
      if (isTaken) session.limitWaiting();
      return isTaken;
    },
    resultRead(callId: number, outcome: Outcome): void {
      if (callId !== TOKEN_CALL_ID && callId !== NOTICE_ID) return;
      if (outcome.ok) renewWithin(outcome.value);
      const answered = pending;
      if (answered === undefined || callId === NOTICE_ID) return;
      isShown = false;
      if (isStale && (outcome.ok || !isExpired)) {
        isExpired = false;
        return void show(answered);
      }
      pending = undefined;
      if (outcome.ok) answered.resolve();
      else {
        const error = outcome.error as RpcError;
        if (error.code === 'METHOD_NOT_FOUND') {
          link.drop('for a new token');
          return void renewal.begin(false).then(answered.resolve, answered.reject);
        }
        answered.reject(error);
        // Nothing continues over the next connection: its token may be another user's, who made none of these calls.
        if (isExpired) return link.refuse(error);
      }
      isExpired = false;
      session.release();
    },
    disconnected(): void {
      ahead.stop();
      lifetimeMs = 0;
      isExpired = isShown = false;
      held = [];
      if (pending !== undefined) session.limitWaiting();
    },
    opened(): void {
      pending?.resolve();
      pending = undefined;
    },
    waited(error: RpcError): void {
      pending?.reject(error);
      pending = undefined;
    },
  };

  /** Notes that the frames of calls from this id on have not run, unless they may have over an earlier connection. */
  const holdFrom = (id: unknown) => {
    if (!isId(id)) return;
    const frames = [...session.outgoing.table.frames().keys()];
    held = frames.filter(({ firstId, sent, lostAt }) => sent && firstId >= id && lostAt === undefined);
    for (const frame of held) frame.sent = false;
  };

  /**
   * Notes that nothing of a frame has run over this connection, so that it can be sent over the next. Does so only once
   * for each frame, and returns false after that.
   */
  const takeBack = (firstId: number): boolean => {
    const frames = [...session.outgoing.table.frames().keys()];
    const frame = frames.find((each) => each.firstId === firstId && !each.wasRefused);
    if (frame === undefined) return false;
    // It may have run over an earlier connection.
    frame.sent = frame.lostAt !== undefined;
    frame.wasRefused = true;
    return true;
  };

  /**
   * Schedules a new token in time, so that a client that only listens stays connected. The time is random, so that
   * clients that connected together do not all renew at once.
   */
  const renewWithin = (ms: unknown) => {
    ahead.stop();
    if (typeof ms !== 'number' || ms < SHORTEST_MS || typeof options.token !== 'function') return;
    lifetimeMs = ms;
    ahead.set(ms * (0.8 + 0.15 * Math.random()), renewAhead);
  };
  const renewAhead = () => void renewal.begin(false);
  if (options.token != null) session.states = [...session.states, renewal];
  return renewal;
}
