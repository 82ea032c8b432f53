import { allTypes } from '@lumenize/structured-clone/messages';
import { type Address, keptAt, readResultReference } from '../protocol/address.ts';
import { createCallReader } from '../protocol/call-reader.ts';
import * as channel from '../protocol/channel.ts';
import { asFrameError, malformedFrame } from '../protocol/errors.ts';
import { readPart } from '../protocol/frame-part.ts';
import { createFrameReader, type FrameEntries, type FrameHandler } from '../protocol/frame-reader.ts';
import { bytesOf, isFrameText, type Message, messageOf } from '../protocol/message.ts';
import { type Operation, RefusedFrame, readOperation } from '../protocol/operation.ts';
import {
  captureAt,
  RECORDING_READER,
  Recording,
  readEntries,
  recordedIndex,
  recordingOf,
} from '../protocol/recording.ts';
import { readResent } from '../protocol/resent.ts';
import * as signals from '../protocol/signal.ts';
import * as tags from '../protocol/tags.ts';
import { isTokenFrame, readToken } from '../protocol/token.ts';
import { readEvent, readEvents, readTopic, readTopicSignal } from '../protocol/topic.ts';
import {
  ByReference,
  type DescribedCall,
  type DescribedChannelSignal,
  type DescribedResult,
  type DescribedSignal,
  type Direction,
  type FrameDescription,
  type ReferenceKind,
} from './frame-description.ts';

/** The description of a frame, without its size. */
type Content = FrameDescription extends infer Each
  ? Each extends { size: number }
    ? Omit<Each, 'size'>
    : never
  : never;

/**
 * Describes a frame that was sent `up` from client to server, or `down` from server to client. It is read and checked
 * in the same way as by its receiver. Never throws: a frame that cannot be read is described as `unreadable`.
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
  const results: DescribedResult[] = [];
  let content: Content = { kind: 'results', results };
  const handlers: Readonly<Record<number, FrameHandler>> = {
    [tags.CHANNELS]: {
      read(frame, _host, values) {
        const sent: DescribedChannelSignal[] = [];
        channel.readChannels(frame, values, (each) => sent.push(ofChannel(each)));
        content = { kind: 'channels', signals: sent };
      },
    },
    [tags.PART]: {
      read(frame) {
        content = { kind: 'part', ...readPart(frame) };
      },
    },
    [tags.EVENTS]: {
      read(frame) {
        content = describeEvents(frame);
      },
    },
  };
  const read = createFrameReader({ types: allTypes() }, READ_CALLS, handlers);
  const frame = read(message, {
    expects: direction === 'up' ? 'calls' : 'results',
    revive: markOf,
    stored: (id) => void results.push({ id, outcome: 'stored' }),
    settle(id, { ok, ...outcome }) {
      const last = results.at(-1);
      const isStored = last?.outcome === 'stored' && last.id === id;
      if (isStored) results.pop();
      const { value, error } = outcome as { value?: unknown; error?: unknown };
      results.push(ok ? { id, outcome: 'returned', value, isStored } : { id, outcome: 'failed', error });
    },
    refused: (id, index, error) => void results.push({ id, outcome: 'refused', error, index }),
  });
  if (frame === undefined) return content;
  if (frame.kind === tags.RESENT) return describeResent(frame);
  if (frame.refusal !== undefined) throw frame.refusal;
  return {
    kind: 'calls',
    calls: frame.operations.map((operation, index) => {
      const id = frame.firstId + index;
      return describeCall(id, operation, addressed(operation.receiver, id));
    }),
    signals: frame.signals.map(describeSignal),
  };
}

function describeResent(resent: FrameEntries): Content {
  const { ageMs, places, frame: inner, subscriptions } = readResent(resent);
  // No receiver accepts such a frame.
  if (inner.entries[0] === tags.RESENT) throw malformedFrame('a frame sent again inside another');
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
  const [epoch, number] = first;
  const described = events.map((event, place) => ({ sequence: number + place, event: readEvent(event, frame) }));
  return { kind: 'events', topic, first: number, epoch, events: described };
}

/** Describes an operation of a call frame, or of a recording. */
function describeCall(id: number, { path, args, terms, answered }: Operation, receiver: ByReference): DescribedCall {
  return {
    id,
    operation: args === undefined ? 'get' : 'apply',
    receiver,
    path: args === undefined ? path : path.slice(0, -1),
    method: args === undefined ? undefined : path.at(-1),
    args: args?.map((arg) => (arg instanceof Recording ? describeRecording(arg) : arg)),
    timeoutMs: terms?.timeoutMs,
    traceparent: terms?.traceparent,
    isStep: !answered,
  };
}

/** Reads a reference to a result in the operation at `place`. */
function referenceOf(parts: unknown[], place: number, callId: number): ByReference {
  const { address, path } = readResultReference(parts, place);
  return addressed(address, callId, path);
}

const READ_CALLS = createCallReader({ types: allTypes() }, Number.POSITIVE_INFINITY, RECORDING_READER, referenceOf);

/** Describes the thing that an address leads to, in the operation with this id. */
function addressed(address: Address, callId: number, path: readonly string[] = []): ByReference {
  if (address > 0) return new ByReference('result', callId - address, path);
  const { kind, id } = keptAt(address) ?? { kind: 'connection target', id: undefined };
  return new ByReference(kind, id, path);
}

/** Describes a recording that was checked when its frame was read. */
function describeRecording(recording: Recording): ByReference {
  const calls: DescribedCall[] = [];
  let result: unknown;
  const inside = (address: Address, path?: readonly string[]) => {
    if (address < 0) return new ByReference('capture', captureAt(address), path);
    // The key counts as the operation before the first one.
    const id = recordedIndex(calls.length) - address;
    if (address === 0 || id === 0) return new ByReference(id === 0 ? 'key' : 'element', undefined, path);
    return new ByReference('result', id, path);
  };
  const revive = (name: string, content: unknown[]) => {
    if (name === tags.RECORDING) return recordingOf(content);
    const { address, path } = readResultReference(content, recordedIndex(calls.length));
    return inside(address, path);
  };
  for (const entry of readEntries(recording, { types: allTypes() }, revive)) {
    const parts = entry as unknown[];
    if (parts.length === 1) result = parts[0];
    else {
      const operation = readOperation(parts, recordedIndex(calls.length));
      calls.push(describeCall(calls.length + 1, operation, inside(operation.receiver)));
    }
  }
  return new ByReference('recording', undefined, [], { calls, result, captures: recording.captures });
}

/** Kinds of things that the sender of a frame holds and identifies with an id. */
const HELD: readonly string[] = [
  tags.TARGET,
  tags.FUNCTION,
  tags.READABLE,
  tags.WRITABLE,
  tags.ITERABLE,
  tags.PROMISE,
  tags.ABORT_SIGNAL,
];

/** Describes the thing that an extension of the codec stands for. @throws {RpcError} if it is malformed */
function markOf(name: string, parts: unknown[]): unknown {
  if (name === tags.VALUE) return parts[0];
  if (name === tags.TOPIC) return new ByReference('subscription', undefined, [], readTopic(parts));
  if (name === tags.RESULT) return referenceOf(parts, 0, 0);
  if (!HELD.includes(name)) throw malformedFrame(`type ${name} is unknown`);
  const [id, ...rest] = parts;
  if (name === tags.ABORT_SIGNAL && id === null) return new ByReference(name, undefined, [], channel.readFailure(rest));
  return new ByReference(name as ReferenceKind, tags.readId(id), [], rest[0]);
}

/** Functions that describe the signals of call frames, by their kinds. Each throws if the signal is malformed. */
const SIGNALS = new Map<number, (signal: signals.Signal) => DescribedSignal>([
  [signals.RELEASE, (signal) => ({ kind: 'release', references: pairs(signals.readNumbers(signal)) })],
  [signals.FORGET, (signal) => ({ kind: 'forget', ids: signals.readNumbers(signal) })],
  [signals.ACKNOWLEDGE, (signal) => ({ kind: 'acknowledge', ids: signals.readNumbers(signal) })],
  [signals.LEAVE, () => ({ kind: 'leave' })],
  [signals.CANCEL, ([, id, reason]) => ({ kind: 'cancel', id: tags.readId(id), reason })],
  [signals.CONSUMED, (signal) => ofTopic(signal, (topic, cost) => ({ kind: 'consumed', topic, cost }))],
  [signals.UNSUBSCRIBE, (signal) => ofTopic(signal, (topic, count) => ({ kind: 'unsubscribe', topic, count }))],
]);

function describeSignal(signal: signals.Signal): DescribedSignal {
  const describe = SIGNALS.get(signal[0]);
  if (describe === undefined) throw malformedFrame(`a signal of the unknown kind ${signal[0]}`);
  return describe(signal);
}

function ofTopic(signal: signals.Signal, make: (topic: string, number: number) => DescribedSignal): DescribedSignal {
  const { topic, number } = readTopicSignal(signal);
  return make(topic, number);
}

function pairs(numbers: readonly number[]): { id: number; count: number }[] {
  if (numbers.length % 2 > 0) throw malformedFrame('a reference without its count');
  return numbers.flatMap((id, place) => (place % 2 === 0 ? [{ id, count: numbers[place + 1] }] : []));
}

/** Names of the kinds of channel signals, and functions that check their content. */
const CHANNEL_KINDS = new Map<unknown, [DescribedChannelSignal['kind'], read: (content: unknown) => unknown]>([
  [channel.DATA, ['data', (content) => content]],
  [channel.END, ['end', (content) => content]],
  [channel.FAIL, ['fail', channel.readFailure]],
  [channel.CREDIT, ['credit', tags.readId]],
  [channel.STOP, ['stop', (content) => (content === undefined ? undefined : channel.readFailure(content))]],
  [channel.BLOCKED, ['blocked', () => undefined]],
]);

/** Describes an entry of a channel frame. @throws {RpcError} if it is malformed */
function ofChannel(entry: unknown): DescribedChannelSignal {
  const [ref, kind, content] = channel.readChannelSignal(entry);
  const [name, read] = CHANNEL_KINDS.get(kind) ?? [];
  if (name === undefined) throw malformedFrame(`a signal of a channel of the unknown kind ${kind}`);
  const isOwn = ref >= 0;
  return { channel: isOwn ? ref : -1 - ref, owner: isOwn ? 'sender' : 'receiver', kind: name, content: read!(content) };
}
