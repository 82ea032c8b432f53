import { RpcError } from '../../errors/rpc-error.ts';
import type { Message } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { writeToken } from '../../protocol/token.ts';
import type { Extension, TokenRenewal } from '../../session/extension.ts';
import type { OutgoingFrame } from '../../session/outgoing/call.ts';
import type { CallTable } from '../../session/outgoing/call-table.ts';
import { Timer } from '../../session/timer.ts';

/** The session whose token is renewed. */
interface Renewed {
  readonly options: { readonly token?: string | (() => string | Promise<string>) };
  readonly outgoing: { readonly table: CallTable };
  /** Frames that wait to be sent. */
  readonly backlog: { readonly frames: OutgoingFrame[] };
  readonly link: {
    readonly state: string;
    /** Connects again. */
    again(): void;
    /** Gives the connection up, for another one. */
    drop(why: string): void;
    /** Ends it for good. */
    refuse(error: RpcError): void;
  };
  /** Sends a frame behind all that was called before. */
  sendBehind(frame: Message): void;
  /** Bounds how long calls wait from now on. */
  limitWaiting(): void;
  /** Sends what was called meanwhile. */
  release(): void;
}

/** A token that is good for less time, in milliseconds, is not renewed ahead: one that stays the same would be shown again and again. */
const SHORTEST_MS = 5000;

/** Shows the server a new token before the old one expires, or where it has, over the connection that there is. */
export const renewal: Extension = { name: 'renewal', renew: (session: object) => renewalOf(session as Renewed) };

/** Shows the server new tokens over the connection that there is, one after the other. */
function renewalOf(session: Renewed): TokenRenewal {
  const { link, options } = session;
  let pending: PromiseWithResolvers<void> | undefined;
  /** True if the server has said that the old one has expired. */
  let isExpired = false;
  /** Until a new token is shown ahead of time. */
  const ahead = new Timer();

  const show = async (shown: PromiseWithResolvers<void>) => {
    const { token } = options;
    // It may be about another connection by now.
    const isCurrent = () => pending === shown && link.state === 'open';
    try {
      const given = await (typeof token === 'function' ? token() : token!);
      if (!isCurrent()) return;
      session.sendBehind(writeToken(given));
      session.limitWaiting();
      renewal.isHolding = true;
    } catch (error) {
      if (!isCurrent()) return;
      renewal.ended(new RpcError('NOT_EXECUTED', `token() failed: ${error}`));
      if (isExpired) link.drop('without a new token');
    }
  };

  const renewal = {
    isHolding: false,
    get isPending() {
      return pending !== undefined;
    },
    begin(): Promise<void> {
      if (pending !== undefined) return pending.promise;
      pending = Promise.withResolvers<void>();
      const { promise } = pending;
      // Nobody may have asked for it.
      promise.catch(() => {});
      if (link.state === 'open') show(pending);
      else {
        session.limitWaiting();
        link.again();
      }
      return promise;
    },
    refused(firstId: number, error: RpcError, refuse: () => void): void {
      const hasExpired = error.code === 'EXPIRED' && options.token !== undefined;
      // Nothing of it ran, and with another token all of it will.
      if (hasExpired && takeBack(firstId)) session.limitWaiting();
      else refuse();
      if (!hasExpired || (error.data as { renewable?: unknown } | undefined)?.renewable !== true) return;
      isExpired = renewal.isHolding = true;
      renewal.begin();
    },
    answered(outcome: Outcome): void {
      const answered = pending;
      if (outcome.ok) renewWithin(outcome.value);
      if (answered === undefined) return;
      pending = undefined;
      if (outcome.ok) answered.resolve();
      else {
        const error = outcome.error as RpcError;
        if (error.code === 'METHOD_NOT_FOUND') {
          link.drop('for a new token');
          return void renewal.begin().then(answered.resolve, answered.reject);
        }
        answered.reject(error);
        // Nothing goes on over the next connection: its token may be that of somebody else, who has called nothing of this.
        if (isExpired) return link.refuse(error);
      }
      isExpired = renewal.isHolding = false;
      session.release();
    },
    lost(): void {
      ahead.stop();
      isExpired = renewal.isHolding = false;
    },
    opened(): void {
      pending?.resolve();
      pending = undefined;
    },
    ended(error: RpcError): void {
      ahead.stop();
      pending?.reject(error);
      pending = undefined;
    },
  };

  /** Takes back a frame of which nothing ran over this connection: it goes before those that wait. Once, and not for ever. */
  const takeBack = (firstId: number): boolean => {
    const waiting = session.backlog.frames;
    const frames = [...session.outgoing.table.frames().keys()];
    const frame = frames.find((each) => each.firstId === firstId && !waiting.includes(each));
    if (frame === undefined || frame.wasRefused) return false;
    // Over an earlier connection it may have run.
    frame.sent = frame.lostAt !== undefined;
    frame.wasRefused = true;
    const place = waiting.findIndex(({ sent, wasRefused }) => !sent && !wasRefused);
    waiting.splice(place < 0 ? waiting.length : place, 0, frame);
    return true;
  };

  /** Shows a new token in time, so that who only listens stays connected. At different times: those who connected together would all come at once. */
  const renewWithin = (ms: unknown) => {
    ahead.stop();
    if (typeof ms !== 'number' || ms < SHORTEST_MS || typeof options.token !== 'function') return;
    ahead.set(ms * (0.8 + 0.15 * Math.random()), () => void renewal.begin());
  };
  return renewal;
}
