import { RpcError } from '../../errors/rpc-error.ts';
import type { Message } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { SENT_AGAIN, type Signal } from '../../protocol/signal.ts';
import { NOTICE_ID, TOKEN_CALL_ID } from '../../protocol/tags.ts';
import { writeToken } from '../../protocol/token.ts';
import type { Extension, ExtensionState, TokenRenewal } from '../../session/extension.ts';
import type { OutgoingFrame } from '../../session/outgoing/call.ts';
import type { CallTable } from '../../session/outgoing/call-table.ts';
import { Timer } from '../../session/timer.ts';

/** The session whose token is renewed. */
interface Renewed {
  readonly options: { readonly token?: string | (() => string | Promise<string>) };
  readonly outgoing: { readonly table: CallTable; signal(signal: Signal): void };
  states: readonly ExtensionState[];
  /** True if calls are sent at once. */
  isReady: boolean;
  /** Frames that wait to be sent. */
  readonly waiting: OutgoingFrame[];
  readonly link: {
    readonly state: string;
    /** Connects again, with a new token. */
    reconnect(): void;
    /** Gives up the connection, to make another one. */
    drop(why: string): void;
    /** Gives up the connection with an error. Nothing of it continues over the next connection. */
    refuse(error: RpcError): void;
  };
  /** Sends all calls that were made. */
  flush(): void;
  /** Sends a frame. */
  send(frame: Message): void;
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

function renew(renewed: object): TokenRenewal {
  const session = renewed as Renewed;
  const renewal = renewalOf(session);
  if (session.options.token !== undefined) session.states = [...session.states, renewal];
  return renewal;
}

/** Sends new tokens to the server over the open connection, one after the other. */
function renewalOf(session: Renewed): TokenRenewal {
  const { link, options } = session;
  let pending: PromiseWithResolvers<void> | undefined;
  /** True if the server has said that the old token has expired. */
  let isExpired = false;
  /** Timer for sending a new token before the old one expires. */
  const ahead = new Timer();

  const show = async (shown: PromiseWithResolvers<void>) => {
    const { token } = options;
    // By now, the session may have another connection.
    const isCurrent = () => pending === shown && link.state === 'open';
    try {
      const given = await (typeof token === 'function' ? token() : token!);
      if (!isCurrent()) return;
      // Behind all calls that were made before.
      session.flush();
      session.send(writeToken(given));
      session.limitWaiting();
      session.isReady = false;
    } catch (error) {
      if (!isCurrent()) return;
      renewal.waited(new RpcError('NOT_EXECUTED', `token() failed: ${error}`));
      if (isExpired) link.drop('without a new token');
    }
  };

  const renewal = {
    begin(): Promise<void> {
      if (pending !== undefined) return pending.promise;
      pending = Promise.withResolvers<void>();
      const { promise } = pending;
      // Prevents an unhandled rejection if nobody waits for the new token.
      promise.catch(() => {});
      if (link.state === 'open') show(pending);
      else {
        session.limitWaiting();
        link.reconnect();
      }
      return promise;
    },
    callsRefused(firstId: number, error: RpcError): boolean {
      const hasExpired = error.code === 'EXPIRED' && options.token !== undefined;
      // No call of the frame has run, and with another token all of them will.
      const isTaken = hasExpired && takeBack(firstId);
      if (isTaken) session.limitWaiting();
      if (hasExpired && (error.data as { renewable?: unknown } | undefined)?.renewable === true) {
        isExpired = true;
        session.isReady = false;
        renewal.begin();
      }
      return isTaken;
    },
    resultRead(callId: number, outcome: Outcome): void {
      if (callId !== TOKEN_CALL_ID && callId !== NOTICE_ID) return;
      if (outcome.ok) renewWithin(outcome.value);
      const answered = pending;
      if (answered === undefined || callId === NOTICE_ID) return;
      pending = undefined;
      if (outcome.ok) answered.resolve();
      else {
        const error = outcome.error as RpcError;
        if (error.code === 'METHOD_NOT_FOUND') {
          link.drop('for a new token');
          return void renewal.begin().then(answered.resolve, answered.reject);
        }
        answered.reject(error);
        // Nothing continues over the next connection: its token may be another user's, who made none of these calls.
        if (isExpired) return link.refuse(error);
      }
      const wasExpired = isExpired;
      isExpired = false;
      session.release();
      if (wasExpired) session.outgoing.signal([SENT_AGAIN]);
    },
    disconnected(): void {
      ahead.stop();
      isExpired = false;
      if (pending !== undefined) session.limitWaiting();
    },
    opened(): void {
      pending?.resolve();
      pending = undefined;
    },
    waited(error: RpcError): void {
      ahead.stop();
      pending?.reject(error);
      pending = undefined;
    },
  };

  /**
   * Queues a frame again, of which nothing ran over this connection, before the frames that wait to be sent for the
   * first time. Does so only once for each frame, and returns false after that. The signals of a frame that is not sent
   * again go with a later one, since its peer would get out of step without them.
   */
  const takeBack = (firstId: number): boolean => {
    const { waiting } = session;
    const frames = [...session.outgoing.table.frames().keys()];
    const frame = frames.find((each) => each.firstId === firstId && !waiting.includes(each));
    if (frame?.wasRefused) for (const signal of frame.signals) session.outgoing.signal(signal);
    if (frame === undefined || frame.wasRefused) return false;
    // It may have run over an earlier connection.
    frame.sent = frame.lostAt !== undefined;
    frame.wasRefused = true;
    const place = waiting.findIndex(({ sent, wasRefused }) => !sent && !wasRefused);
    waiting.splice(place < 0 ? waiting.length : place, 0, frame);
    return true;
  };

  /**
   * Schedules a new token in time, so that a client that only listens stays connected. The time is random, so that
   * clients that connected together do not all renew at once.
   */
  const renewWithin = (ms: unknown) => {
    ahead.stop();
    if (typeof ms !== 'number' || ms < SHORTEST_MS || typeof options.token !== 'function') return;
    ahead.set(ms * (0.8 + 0.15 * Math.random()), () => void renewal.begin());
  };
  return renewal;
}
