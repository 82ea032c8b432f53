import {
  BLOCKED,
  CREDIT,
  DATA,
  END,
  FAIL,
  readAmount,
  readChannelSignal,
  readFailure,
  STOP,
} from '../protocol/channel.ts';
import { readId } from '../protocol/extension.ts';
import { malformedFrame } from '../protocol/malformed.ts';
import {
  ACKNOWLEDGE,
  CANCEL,
  CONSUMED,
  FORGET,
  LEAVE,
  RELEASE,
  readNumbers,
  type Signal,
  UNSUBSCRIBE,
} from '../protocol/signal.ts';
import { readTopicSignal } from '../protocol/topic.ts';
import type { DescribedChannelSignal, DescribedSignal } from './frame-description.ts';

/** Describes a signal of a call frame. @throws {RpcError} where it is malformed */
export function describeSignal(signal: Signal): DescribedSignal {
  switch (signal[0]) {
    case RELEASE:
      return { kind: 'release', references: pairs(readNumbers(signal)) };
    case FORGET:
      return { kind: 'forget', ids: readNumbers(signal) };
    case ACKNOWLEDGE:
      return { kind: 'acknowledge', ids: readNumbers(signal) };
    case LEAVE:
      return { kind: 'leave' };
    case CANCEL:
      return { kind: 'cancel', id: readId(signal[1]), reason: signal[2] };
    case CONSUMED: {
      const { topic, number } = readTopicSignal(signal);
      return { kind: 'consumed', topic, cost: number };
    }
    case UNSUBSCRIBE: {
      const { topic, number } = readTopicSignal(signal);
      return { kind: 'unsubscribe', topic, count: number };
    }
    default:
      throw malformedFrame(`a signal of the unknown kind ${signal[0]}`);
  }
}

function pairs(numbers: readonly number[]): { id: number; count: number }[] {
  if (numbers.length % 2 > 0) throw malformedFrame('a reference without its count');
  return numbers.flatMap((id, place) => (place % 2 === 0 ? [{ id, count: numbers[place + 1] }] : []));
}

type ChannelKind = readonly [kind: DescribedChannelSignal['kind'], read: (content: unknown) => unknown];

/** Names of the kinds of signals, and the checks of their content. */
const CHANNEL_KINDS: ReadonlyMap<unknown, ChannelKind> = new Map<number, ChannelKind>([
  [DATA, ['data', (content) => content]],
  [END, ['end', (content) => content]],
  [FAIL, ['fail', readFailure]],
  [CREDIT, ['credit', readAmount]],
  [STOP, ['stop', (content) => (content === undefined ? undefined : readFailure(content))]],
  [BLOCKED, ['blocked', () => undefined]],
]);

/** Describes an entry of a frame of channels. @throws {RpcError} where it is malformed */
export function describeChannelSignal(entry: unknown): DescribedChannelSignal {
  const [ref, kind, content] = readChannelSignal(entry);
  const [name, read] = CHANNEL_KINDS.get(kind) ?? [];
  if (name === undefined) throw malformedFrame(`a signal of a channel of the unknown kind ${kind}`);
  return {
    channel: ref < 0 ? -1 - ref : ref,
    owner: ref < 0 ? 'receiver' : 'sender',
    kind: name,
    content: read!(content),
  };
}
