import { EVENTS, TOPIC } from '../../protocol/tags.ts';
import type { Extension } from '../../session/extension.ts';
import { type Subscriber, Subscriptions } from './subscriptions.ts';

/**
 * Subscribes to topics of the server. Events arrive in order, and subscriptions continue when the client reconnects.
 */
export const subscriptions: Extension = {
  name: 'subscriptions',
  frames: {
    [EVENTS]: { read: (frame, session: Subscriber) => session.state(Subscriptions).receive(frame) },
  },
  values: [
    {
      names: [TOPIC],
      read(_name: string, parts: unknown[], session: Subscriber, _argumentOf: unknown, resultOf: number | undefined) {
        return session.state(Subscriptions).revive(parts, resultOf);
      },
    },
  ],
};
