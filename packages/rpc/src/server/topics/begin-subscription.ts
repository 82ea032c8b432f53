import { RpcError } from '../../errors/rpc-error.ts';
import { TOPIC } from '../../protocol/extension.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { CONSUMED, type Signal, UNSUBSCRIBE, unknownSignal } from '../../protocol/signal.ts';
import { readTopicSignal } from '../../protocol/topic.ts';
import type { Made } from '../../session/travelling.ts';
import { atEndOfTurn } from '../../session/turn.ts';
import { type Subscriber, SubscriptionRequest } from './subscriber.ts';

/**
 * Subscribes a connection to what a method has returned; `announce` sends what answers calls, and is called before any event is
 * sent.
 * @throws {RpcError} where there is no subscriber: the value is no result, or the connection does not last
 */
export function beginSubscription(
  request: SubscriptionRequest,
  subscriber: Subscriber | undefined,
  announce: () => void,
): Made {
  if (subscriber === undefined) {
    const message = 'a subscription can only be the result of a call, over a connection to its object that lasts';
    throw new RpcError('NOT_CLONEABLE', message);
  }
  const payload = subscriber.subscribe(request, announce);
  atEndOfTurn(() => subscriber.announced());
  return { extension: { kind: TOPIC, payload }, takeBack: () => subscriber.unsubscribe(request.topic, 1) };
}

/** Has a subscription that a method returned go on behind an event; leaves other results as they are. */
export function resumeSubscription(outcome: Outcome, after: number): Outcome {
  if (!outcome.ok || !(outcome.value instanceof SubscriptionRequest)) return outcome;
  const { topic, source } = outcome.value;
  return { ok: true, value: new SubscriptionRequest(topic, source, after) };
}

/** Does as a client says of a topic; throws where it says something else. */
export function receiveTopicSignal(signal: Signal, subscriber: Subscriber | undefined): void {
  if (signal[0] !== CONSUMED && signal[0] !== UNSUBSCRIBE) throw unknownSignal(signal);
  const { topic, number } = readTopicSignal(signal);
  if (signal[0] === CONSUMED) subscriber?.consumed(topic, number);
  else subscriber?.unsubscribe(topic, number);
}
