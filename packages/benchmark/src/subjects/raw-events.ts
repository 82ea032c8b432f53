import type { EventsConnection } from '../events/events.ts';
import type { RawClient } from './raw-client.ts';

/** Events in the hand-written protocol: each comes in a frame of its own, on the socket that asked for them. */
export function rawEvents(client: RawClient): EventsConnection {
  return {
    publish: (message) => client.call<number>('publish', message),
    async subscribe(receiver) {
      client.receiver = receiver;
      await client.call('subscribe');
    },
  };
}
