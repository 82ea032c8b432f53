import { expiredError, isExpired } from '../server/access/caller.ts';
import type { OtherProtocol } from '../server/options.ts';
import { errorOfTarget, refuse } from '../server/refusal.ts';
import { answerBatch, serveSocket } from './session.ts';

/** Options for serving clients of Cap'n Web. */
export interface CapnWebOptions {
  /** Path at which they connect: requests for it, and for what is below it, are taken to be in their protocol. @default '/capnweb' */
  prefix?: string;
  /**
   * Let them call methods that are declared `exactlyOnce`, which they cannot ask for: such a call runs once, but who loses its
   * answer cannot learn that it ran. @default false: it is refused
   */
  atMostOnce?: boolean;
}

/**
 * Lets clients of the package `capnweb` talk to the same targets, for `protocols` of an object's or `serveRpc`'s options:
 * over a WebSocket, which does not hibernate, or in batches over HTTP. What is declared, guarded, checked and limited holds
 * for them too.
 */
export function capnWeb({ prefix = '/capnweb', atMostOnce = false }: CapnWebOptions = {}): OtherProtocol {
  const path = prefix.replace(/\/$/, '');
  return {
    fetch(request, host) {
      const { pathname } = new URL(request.url);
      if (pathname !== path && !pathname.startsWith(`${path}/`)) return undefined;
      const isSocket = request.headers.get('Upgrade')?.toLowerCase() === 'websocket';
      if (!isSocket && request.method !== 'POST') return undefined;
      const caller = host.callerOf(request);
      const refusal = isExpired(caller.expiresAt) ? expiredError() : isSocket && host.full(caller);
      if (refusal) return refuse(request, refusal);
      let target: object;
      try {
        target = host.target(caller) as object;
      } catch (error) {
        return refuse(request, errorOfTarget(error));
      }
      const served = { target, caller, host, atMostOnce };
      return isSocket ? serveSocket(served) : answerBatch(request, served);
    },
  };
}
