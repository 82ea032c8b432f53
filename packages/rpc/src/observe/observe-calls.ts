import { observeIncoming } from '../session/observe/incoming.ts';
import type { ObserveCall } from '../session/observe/observed-call.ts';
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
