import { observeIncoming } from '../session/observe/incoming.ts';
import type { ObserveCall, ObservedCall } from '../session/observe/observed-call.ts';
import type { Observer } from '../session/observe/observer.ts';
import { observeOutgoing } from '../session/observe/outgoing.ts';

/**
 * Makes the option `observe` of `connect` and of servers: each of the functions is told of each call. The first is outermost:
 * what answers a call runs inside of all of them.
 */
export function observeCalls(...observers: readonly ObserveCall[]): Observer {
  return {
    outgoing: (session, node, args, make) => observeOutgoing(observers, session, node, args, make),
    incoming: (call, operation) => observeIncoming(observers, call, operation),
  };
}

/** An address without what may be secret in its URL: the query, and a name and password before the host. */
export function publicAddress(address: string): string {
  return address.replace(/\?.*/s, '').replace(/\/\/[^/]*@/, '//');
}

/** The message of an error, without what may be secret in the URL that it may quote. */
export function publicMessage(error: unknown, address: string | undefined): string {
  const message = error instanceof Error ? error.message : typeof error;
  return address === undefined ? message : message.replaceAll(address, () => publicAddress(address));
}

const MAX_LENGTH = 100;

/** Returns what is called, cut: it may come from the other side, and be of any length. */
export function shortMethod({ method }: ObservedCall): string {
  return method.slice(0, MAX_LENGTH);
}
