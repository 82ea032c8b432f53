import type { EventsConnection, Message } from '../events/events.ts';

/** The methods about events, as a stub has them. */
interface EventMethods {
  publish(message: Message): PromiseLike<number>;
  subscribe(callback: (sequence: number, message: Message) => void): PromiseLike<void>;
  onRpcBroken(broken: (error: unknown) => void): void;
}

/** Events over Cap'n Web: the subscriber passes a callback, which the object calls. */
export function capnwebEvents(stub: EventMethods): EventsConnection {
  return {
    publish: (message) => stub.publish(message),
    async subscribe({ receive, fail }) {
      stub.onRpcBroken(fail);
      await stub.subscribe(receive);
    },
  };
}
