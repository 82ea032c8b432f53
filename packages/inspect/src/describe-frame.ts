import { type Message, RpcError, type RpcErrorCode } from '@lumenize/rpc';
import { all, checkText, fromMessage, isMarked, read, resolveLimits } from '@lumenize/structured-clone/messages';
import {
  ByReference,
  type DescribedAnswer,
  type DescribedCall,
  type DescribedCallback,
  type DescribedCalls,
  type DescribedOperation,
  type DescribedSignal,
  type FrameContent,
  type FrameDescription,
  type ReferenceKind,
  type TopicPosition,
} from './frame-description.ts';

/** What the marks of a value are read with. */
interface Scope {
  /** The bytes behind the text of the frame. */
  readonly tail?: Uint8Array | undefined;
  /** True in the frame of a recorded callback, whose target is the element. */
  readonly isCallback: boolean;
}

/**
 * Describes a message of either side. Never throws: a message that cannot be read is described as `unreadable`.
 * @param message The text of a message, or its bytes.
 */
export function describeFrame(message: string | Uint8Array): FrameDescription {
  const size = typeof message === 'string' ? new TextEncoder().encode(message).length : message.length;
  try {
    return { ...describe(message as Message), size };
  } catch (error) {
    const { code, message: why } = error as { code?: unknown; message: string };
    const isLimit = code === 'LIMIT_EXCEEDED';
    return { kind: 'unreadable', code: isLimit ? code : 'MALFORMED_FRAME', message: why, size };
  }
}

function describe(message: Message): FrameContent {
  if (typeof message === 'string' && !/^[[{]/.test(message)) return { kind: 'text', text: message };
  const { text, tail } = fromMessage(message);
  checkText(text, resolveLimits({}));
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw malformed('a frame is not JSON');
  }
  const scope: Scope = { tail, isCallback: false };
  if (!Array.isArray(content)) return describeSignal(Object(content) as Record<string, unknown>, scope);
  return content[0] < 0 ? { kind: 'answers', answers: describeAnswers(content, scope) } : describeCalls(content, scope);
}

function describeCalls([firstId, ...entries]: unknown[], scope: Scope): DescribedCalls {
  if (!isCount(firstId) || firstId === 0) throw malformed('a frame without an id');
  const calls: DescribedCall[] = [];
  const givenUp: number[] = [];
  const settledBelow = isCount(entries[0]) && entries[0] > 0 ? entries.shift() : undefined;
  for (const [place, entry] of entries.entries()) {
    if (entry === 0) givenUp.push(firstId + place);
    else calls.push(describeCall(firstId + place, entry, scope));
  }
  return { kind: 'calls', calls, givenUp, settledBelow: settledBelow as number | undefined };
}

function describeCall(id: number, entry: unknown, scope: Scope): DescribedCall {
  if (!Array.isArray(entry) || entry.length === 0) throw malformed('an entry');
  const rest = [...entry];
  const hasTerms = typeof rest[0] === 'object' && rest[0] !== null && !Array.isArray(rest[0]);
  const { ms, trace, since } = (hasTerms ? rest.shift() : {}) as Record<string, unknown>;
  const receiver = addressed(typeof rest[0] === 'string' ? 0 : rest.shift(), scope);
  const operations: DescribedOperation[] = [];
  while (rest.length > 0) {
    const name = typeof rest[0] === 'string' ? (rest.shift() as string) : undefined;
    const isCalled = typeof rest[0] === 'object' && rest[0] !== null;
    if (name === undefined && !isCalled) throw malformed('a step');
    const args = isCalled ? valueOf(rest.shift(), scope) : undefined;
    if (isCalled && !Array.isArray(args)) throw malformed('arguments');
    operations.push({ name, args: args as unknown[] | undefined });
  }
  return {
    id,
    receiver,
    operations,
    timeoutMs: optional(ms, isCount, 'ms'),
    traceparent: optional(trace, isText, 'trace'),
    since: optional(since, isPosition, 'since'),
  };
}

function describeAnswers(frame: unknown[], scope: Scope): DescribedAnswer[] {
  const answers: DescribedAnswer[] = [];
  let id = -(frame[0] as number);
  if (!isCount(id)) throw malformed('a frame without an id');
  for (const answer of frame.slice(1)) {
    const isFailure = isMarked(answer) && Object.hasOwn(answer, '!');
    if (isMarked(answer) && isCount(answer.$) && !isFailure) {
      id = answer.$;
      continue;
    }
    const value = valueOf(answer, scope);
    answers.push(isFailure ? { id, outcome: 'failed', error: value } : { id, outcome: 'returned', value });
    id++;
  }
  return answers;
}

/** Tests of the contents of signals, by the names of these. */
const SIGNALS: Readonly<Record<DescribedSignal['name'], (content: unknown) => boolean>> = {
  release: (content) => isPairs(content, isCount),
  cancel: (content) => isPairs(content, isText),
  abort: isCount,
  as: isText,
  from: isCount,
  leave: isText,
  end: isText,
  coming: isCount,
  read: isText,
};

function describeSignal(content: Record<string, unknown>, scope: Scope): FrameContent {
  const [name = ''] = Object.keys(content);
  if (name === 'again') {
    const { again, open, ms } = content;
    if (!Array.isArray(again) || !Array.isArray(open) || !open.every(isCount) || !isCount(ms)) throw malformed(name);
    return { kind: 'again', ageMs: ms, open, frame: describeCalls(again, scope) };
  }
  if (name === 'topic') {
    const { topic, first, events } = content;
    if (!isText(topic) || !isPosition(first) || !Array.isArray(events)) throw malformed(name);
    return { kind: 'events', topic, first, events: events.map((event) => valueOf(event, scope)) };
  }
  if (!Object.hasOwn(SIGNALS, name)) throw malformed('an unknown signal');
  const isRead = SIGNALS[name as DescribedSignal['name']];
  if (!isRead(content[name])) throw malformed(name);
  const fields = Object.entries(content).map(([key, value]) => [key, valueOf(value, scope)]);
  return { kind: 'signal', name: name as DescribedSignal['name'], content: Object.fromEntries(fields) };
}

/** Returns the thing that an address stands for. */
function addressed(address: unknown, { isCallback }: Scope): ByReference {
  if (address === 0) return new ByReference(isCallback ? 'element' : 'connection target');
  if (Array.isArray(address) && address.length === 2) {
    const [id, number] = address;
    if (id === 'c' && isCallback && isCount(number)) {
      return number === 0 ? new ByReference('key') : new ByReference('capture', number);
    }
    if (isCount(id) && isCount(number)) return new ByReference('step', id, number);
  }
  if (!Number.isSafeInteger(address)) throw malformed('an address');
  const id = Math.abs(address as number);
  return new ByReference((address as number) < 0 ? 'result' : 'reference', id);
}

/** Returns the value of what a frame holds, whether it is marked or not. */
function valueOf(given: unknown, scope: Scope): unknown {
  if (!isMarked(given)) return given;
  const { $, of = [], at = 0 } = given as { $: unknown; of?: unknown; at?: unknown };
  if (!Array.isArray(of) || !isCount(at)) throw malformed('a mark');
  const results = of.map((address) => addressed(address, scope));
  const revive = (name: string, parts: unknown[]) => markOf(name, parts, results, scope);
  return read($, { types: all, limits: resolveLimits({}), tail: scope.tail, at, revive });
}

/** Marks of things that the sender of a frame identifies with an id. */
const OWN: readonly string[] = ['target', 'function', 'stream', 'bytes-stream', 'iterable', 'sink', 'signal'];

function markOf(name: string, parts: unknown[], results: readonly ByReference[], scope: Scope): unknown {
  const [first, ...rest] = parts;
  if (name === 'value') return first;
  if (name === 'end') return new ByReference(name);
  if (name === 'place') return new ByReference(name, undefined, first === 1 ? 'function' : 'target');
  if (name === 'callback' && isText(first)) {
    return new ByReference(name, undefined, describeCallback(first, rest));
  }
  if (name === 'topic' && isText(first) && isPosition(rest[0])) {
    return new ByReference(name, undefined, { topic: first, position: rest[0], missed: rest[1] ?? 0 });
  }
  if (name === 'rpcError' && isText(first) && isText(rest[0])) {
    const [message, data, cause] = rest;
    return new RpcError(first as RpcErrorCode, message as string, { data, ...(cause !== undefined && { cause }) });
  }
  if (isCount(first)) {
    if (name === 'result' && first < results.length) return results[first];
    if (name === 'yours') return addressed(first, scope);
    if (name === 'signal' && first === 0) return new ByReference(name, undefined, rest[0]);
    if (OWN.includes(name)) return new ByReference(name as ReferenceKind, first);
  }
  throw malformed(`$${name}`);
}

function describeCallback(text: string, captures: readonly unknown[]): DescribedCallback {
  const [frame, form] = JSON.parse(text) as unknown[];
  if (!Array.isArray(frame)) throw malformed('$callback');
  const scope: Scope = { isCallback: true };
  const result = valueOf(form, scope);
  if (!Array.isArray(result)) throw malformed('$callback');
  return { calls: describeCalls(frame, scope).calls, result: result[0], captures };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isPosition(value: unknown): value is TopicPosition {
  return Array.isArray(value) && value.length === 2 && isText(value[0]) && isCount(value[1]);
}

/** Returns true for ids, each with something behind it that passes a test. */
function isPairs(value: unknown, isSecond: (second: unknown) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.length % 2 === 0 &&
    value.every((each, at) => (at % 2 === 0 ? isCount(each) : isSecond(each)))
  );
}

function optional<T>(value: unknown, is: (value: unknown) => value is T, name: string): T | undefined {
  if (value === undefined || is(value)) return value;
  throw malformed(name);
}

function malformed(what: string): RpcError {
  return new RpcError('MALFORMED_FRAME', `malformed: ${what}`);
}
