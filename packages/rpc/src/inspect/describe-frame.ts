import { ALL } from '@lumenize/structured-clone/messages';
import { type CallFrame, CallReader } from '../protocol/call-reader.ts';
import {
  BLOCKED,
  CREDIT,
  DATA,
  END,
  FAIL,
  readAmount,
  readChannelSignal,
  readChannels,
  readFailure,
  STOP,
} from '../protocol/channel.ts';
import { asFrameError, malformedFrame } from '../protocol/errors.ts';
import { readPart } from '../protocol/frame-part.ts';
import {
  createFrameReader,
  type FrameEntries,
  type FrameHandler,
  type FrameHost,
  RefusedFrame,
} from '../protocol/frame-reader.ts';
import { bytesOf, isFrameText, type Message, messageOf } from '../protocol/message.ts';
import { readRecording } from '../protocol/recording.ts';
import { readResent } from '../protocol/resent.ts';
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
import { CHANNELS, EVENTS, firstNumber, PART, RESENT, RESULT, readId } from '../protocol/tags.ts';
import { isTokenFrame, readToken } from '../protocol/token.ts';
import { readEvent, readEvents, readTopicSignal } from '../protocol/topic.ts';
import { addressed, markOf } from './describe-address.ts';
import { describeArguments, describeCall } from './describe-recording.ts';
import type {
  DescribedChannelSignal,
  DescribedEvent,
  DescribedResult,
  DescribedSignal,
  Direction,
  FrameDescription,
} from './frame-description.ts';

/** The content of a frame, without its size. */
type Content = FrameDescription extends infer Each
  ? Each extends { size: number }
    ? Omit<Each, 'size'>
    : never
  : never;

/**
 * Describes a frame that went from client to server, `up`, or back, `down`. It is read and checked as its receiver does, and
 * never throws: what cannot be read is described as `unreadable`.
 */
export function describeFrame(frame: string | Uint8Array, direction: Direction): FrameDescription {
  const message = typeof frame === 'string' ? frame : messageOf(frame as Uint8Array<ArrayBuffer>);
  const size = bytesOf(frame as Message).length;
  if (typeof message === 'string' && !isFrameText(message)) return { kind: 'text', text: message, size };
  return { ...describeReadable(message, direction), size } as FrameDescription;
}

function describeReadable(frame: Message | FrameEntries, direction: Direction): Content {
  try {
    return describe(frame, direction);
  } catch (error) {
    const { code, message } = error instanceof RefusedFrame ? error.cause : asFrameError(error);
    const firstId = error instanceof RefusedFrame ? { firstId: error.firstId } : {};
    return { kind: 'unreadable', code, message, ...firstId };
  }
}

function describe(message: Message | FrameEntries, direction: Direction): Content {
  if (typeof message === 'string' && isTokenFrame(message)) {
    const { callId, token } = readToken(message);
    return { kind: 'token', id: callId, length: token.length };
  }
  const signals: DescribedChannelSignal[] = [];
  const results: DescribedResult[] = [];
  let events: Content | undefined;
  const calls = new ReaderWithoutReferences({ types: ALL }, Number.POSITIVE_INFINITY, readRecording);
  const host: FrameHost = {
    expects: direction === 'up' ? 'calls' : 'results',
    revive: (name, parts, callId) => markOf(name, parts, callId, callId === undefined ? 0 : calls.count),
    stored: (id) => void results.push({ id, outcome: 'stored' }),
    settle: (id, outcome) => {
      const last = results.at(-1);
      const isStored = last?.outcome === 'stored' && last.id === id;
      if (isStored) results.pop();
      results.push(
        outcome.ok
          ? { id, outcome: 'returned', value: outcome.value, isStored }
          : { id, outcome: 'failed', error: outcome.error },
      );
    },
    refused: (id, index, error) => void results.push({ id, outcome: 'refused', error, index }),
  };
  const handlers = new Map<unknown, FrameHandler>([
    [
      CHANNELS,
      {
        read: (frame, _host, values) =>
          readChannels(frame, values, (entry) => void signals.push(describeChannelSignal(entry))),
      },
    ],
    [
      EVENTS,
      {
        read: (frame) => {
          events = describeEvents(frame);
        },
      },
    ],
  ]);
  const frame = createFrameReader({ types: ALL }, () => calls, handlers)(message, host);
  if (frame?.kind === 'calls') return describeCalls(frame);
  if (frame?.kind === PART) return readPart(frame);
  if (frame !== undefined) return describeResent(frame);
  if (events !== undefined) return events;
  return isOfChannels(message) ? { kind: 'channels', signals } : { kind: 'results', results };
}

/** A reader that leaves references to results to its host, which knows the ids of calls. */
class ReaderWithoutReferences extends CallReader {
  override revive(name: string, parts: unknown[]): object | undefined {
    return name === RESULT ? undefined : super.revive(name, parts);
  }
}

function isOfChannels(frame: Message | FrameEntries): boolean {
  const isMessage = typeof frame === 'string' || frame instanceof Uint8Array;
  return (isMessage ? firstNumber(frame) : frame.entries[0]) === CHANNELS;
}

function describeCalls({ firstId, operations, signals }: CallFrame): Content {
  return {
    kind: 'calls',
    calls: operations.map((operation, index) => {
      const id = firstId + index;
      return describeCall(id, operation, addressed(operation.receiver, id), describeArguments(operation));
    }),
    signals: signals.map(describeSignal),
  };
}

function describeResent(resent: FrameEntries): Content {
  const { ageMs, places, frame: inner, subscriptions } = readResent(resent);
  // No receiver takes it.
  if (inner.entries[0] === RESENT) throw malformedFrame('a frame sent again inside another');
  const size = bytesOf(JSON.stringify(inner.entries)).length + (inner.tail?.length ?? 0);
  const frame = { ...describeReadable(inner, 'up'), size } as FrameDescription;
  const firstId = frame.kind === 'calls' ? (frame.calls[0]?.id ?? 0) : 0;
  return {
    kind: 'resent',
    ageMs,
    ids: places.map((place) => firstId + place),
    subscriptions: new Map([...subscriptions].map(([place, last]) => [firstId + place, last])),
    frame,
  };
}

function describeEvents(frame: FrameEntries): Content {
  const { topic, first, events } = readEvents(frame);
  const described = events.map((event, place): DescribedEvent => {
    return { sequence: first + place, event: readEvent(event, frame) };
  });
  return { kind: 'events', topic, first, events: described };
}

/** Describes a signal of a call frame. @throws {RpcError} where it is malformed */
function describeSignal(signal: Signal): DescribedSignal {
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
function describeChannelSignal(entry: unknown): DescribedChannelSignal {
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
