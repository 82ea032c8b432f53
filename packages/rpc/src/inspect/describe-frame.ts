import { createDecoder } from '@lumenize/structured-clone';
import { RpcError } from '../errors/rpc-error.ts';
import type { CallFrame } from '../protocol/call-frame.ts';
import { CallReader } from '../protocol/call-reader.ts';
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
import { RESULT, readId } from '../protocol/extension.ts';
import { firstValue } from '../protocol/first-value.ts';
import { CHANNELS, PART, RESENT } from '../protocol/frame-kind.ts';
import { readPart } from '../protocol/frame-part.ts';
import { createFrameReader, type FrameHost, RefusedFrame } from '../protocol/frame-reader.ts';
import { asFrameError, malformedFrame } from '../protocol/malformed.ts';
import { bytesOf } from '../protocol/message.ts';
import { readRecording } from '../protocol/recording-reader.ts';
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
import { isTokenFrame, readToken } from '../protocol/token.ts';
import { readEvents, readTopicSignal } from '../protocol/topic.ts';
import { addressed, markOf, subscriptionMark } from './describe-address.ts';
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
  if (typeof frame === 'string') return { kind: 'text', text: frame, size: bytesOf(frame).length };
  let content: Content;
  try {
    // Of a Buffer, what is decoded would be views.
    content = describe(new Uint8Array(frame.buffer as ArrayBuffer, frame.byteOffset, frame.byteLength), direction);
  } catch (error) {
    const { code, message } = error instanceof RefusedFrame ? error.cause : asFrameError(error);
    const firstId = error instanceof RefusedFrame ? { firstId: error.firstId } : {};
    content = { kind: 'unreadable', code, message, ...firstId };
  }
  return { ...content, size: frame.length } as FrameDescription;
}

function describe(bytes: Uint8Array<ArrayBuffer>, direction: Direction): Content {
  if (isTokenFrame(bytes)) {
    const { callId, token } = readToken(bytes);
    return { kind: 'token', id: callId, length: token.length };
  }
  const signals: DescribedChannelSignal[] = [];
  const results: DescribedResult[] = [];
  let events: Content | undefined;
  const calls = new ReaderWithoutReferences({}, Number.POSITIVE_INFINITY, readRecording);
  const host: FrameHost = {
    expects: direction === 'up' ? 'calls' : 'results',
    revive: (kind, payload, callId) => markOf(kind, payload, callId, callId === undefined ? 0 : calls.count),
    reviveTopic: subscriptionMark,
    receiveChannel: (entry) => void signals.push(describeChannelSignal(entry)),
    channelsUnreadable: (error) => {
      throw error;
    },
    receiveEvents: (parts) => {
      events = describeEvents(parts);
    },
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
  const frame = createFrameReader({}, () => calls)(bytes, host);
  if (frame?.kind === 'calls') return describeCalls(frame);
  if (frame?.kind === PART) return readPart(frame.parts);
  if (frame?.kind === RESENT) return describeResent(frame.parts);
  if (events !== undefined) return events;
  return firstValue(bytes) === CHANNELS ? { kind: 'channels', signals } : { kind: 'results', results };
}

/** A reader that leaves references to results to its host, which knows the ids of calls. */
class ReaderWithoutReferences extends CallReader {
  override revive(kind: number, payload: unknown): object | undefined {
    return kind === RESULT ? undefined : super.revive(kind, payload);
  }
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

function describeResent(parts: unknown[]): Content {
  const { ageMs, places, message, subscriptions } = readResent(parts);
  // No receiver takes it, and each level would be a copy of all that is inside.
  if (firstValue(message) === RESENT) throw malformedFrame('a frame sent again inside another');
  const frame = describeFrame(message, 'up');
  const firstId = frame.kind === 'calls' ? (frame.calls[0]?.id ?? 0) : 0;
  return {
    kind: 'resent',
    ageMs,
    ids: places.map((place) => firstId + place),
    subscriptions: new Map([...subscriptions].map(([place, last]) => [firstId + place, last])),
    frame,
  };
}

function describeEvents(parts: unknown[]): Content {
  const { topic, first, events } = readEvents(parts);
  return { kind: 'events', topic, first, events: events.map((bytes, place) => readEvent(first + place, bytes)) };
}

function readEvent(sequence: number, bytes: Uint8Array): DescribedEvent {
  const values: unknown[] = [];
  createDecoder({})(bytes, (value) => values.push(value));
  if (values.length !== 1) throw new RpcError('MALFORMED_FRAME', `malformed: event ${sequence} is not one value`);
  return { sequence, event: values[0] };
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
