import type { Subscription } from '@lumenize/rpc';
import type { EventsConnection, Message, Receiver } from '../events/events.ts';

/** The methods about events, as a stub has them. */
export interface EventMethods {
  publish(message: Message): PromiseLike<number>;
  subscribe(): PromiseLike<Subscription<Message>>;
}

/** Events over Lumenize RPC: a subscription to a topic, gone through in a loop. */
export function lumenizeEvents(stub: EventMethods): EventsConnection {
  return {
    publish: (message) => stub.publish(message),
    async subscribe(receiver) {
      readAll(await stub.subscribe(), receiver).catch(receiver.fail);
    },
  };
}

async function readAll(subscription: Subscription<Message>, { receive, fail }: Receiver): Promise<void> {
  for await (const { sequence, event, missed } of subscription) {
    if (event === undefined) return fail(`${missed} events were left out`);
    receive(sequence, event);
  }
  fail('the subscription has ended');
}
