import type { Position } from '../protocol/topic.ts';
import {
  ByReference,
  type DescribedCall,
  type DescribedChannelSignal,
  type DescribedRecording,
  type DescribedResult,
  type DescribedSignal,
  type FrameDescription,
} from './frame-description.ts';

/** Formats a described frame as readable lines of text: its kind and size, then each of its entries. */
export function formatFrame(frame: FrameDescription): string {
  const content = (CONTENT[frame.kind] as (frame: FrameDescription) => readonly string[])(frame);
  return [`${frame.kind}, ${frame.size} bytes`, ...content.map((line) => `  ${line}`)].join('\n');
}

/** Functions that format the content of each kind of frame. */
const CONTENT: {
  readonly [Kind in FrameDescription['kind']]: (frame: Extract<FrameDescription, { kind: Kind }>) => readonly string[];
} = {
  calls: ({ calls, signals }) => [...calls.map(callLine), ...signals.map(signalLine)],
  results: ({ results }) => results.map(resultLine),
  channels: ({ signals }) => signals.map(channelLine),
  events({ topic, first, events }) {
    if (events.length === 0) return [`${formatValue(topic)} goes on with event ${first}`];
    return events.map(({ sequence, event }) => `${formatValue(topic)} ${sequence}: ${formatValue(event)}`);
  },
  resent({ ageMs, ids, subscriptions, frame }) {
    const when = ageMs === undefined ? 'not sent before' : `sent ${ageMs} ms before`;
    const behind = [...subscriptions].map(([id, last]) => `subscription ${id} goes on behind ${last[1]}`);
    return [`${when}, to be answered: ${ids.join(', ')}`, ...behind, ...formatFrame(frame).split('\n')];
  },
  part: ({ remaining }) => [`${remaining} more to come`],
  token: ({ length }) => [`${length} characters`],
  text: ({ text }) => [text],
  unreadable: ({ code, message }) => [`${code}: ${message}`],
};

function callLine(call: DescribedCall): string {
  const more = [
    call.isStep && 'only a step',
    call.timeoutMs !== undefined && `within ${call.timeoutMs} ms`,
    call.traceparent !== undefined && `trace ${call.traceparent}`,
  ].filter(Boolean);
  return `${call.id}: ${formatCall(call, formatValue)}${more.length > 0 ? ` (${more.join(', ')})` : ''}`;
}

function resultLine(result: DescribedResult): string {
  const { id, outcome } = result;
  if (outcome === 'returned') return `${id} = ${formatValue(result.value)}${result.isStored ? ' (stored)' : ''}`;
  if (outcome === 'stored') return `${id} is stored`;
  if (outcome === 'failed') return `${id} failed: ${formatValue(result.error)}`;
  const because = result.index < 0 ? '' : ` because of ${id + result.index}`;
  return `the frame of ${id} was refused${because}: ${formatValue(result.error)}`;
}

function signalLine(signal: DescribedSignal): string {
  const { kind } = signal;
  if ('references' in signal)
    return `${kind} ${signal.references.map(({ id, count }) => `#${id} (${count})`).join(', ')}`;
  if ('ids' in signal) return `${kind} ${signal.ids.map((id) => `$${id}`).join(', ')}`;
  if ('reason' in signal) return `${kind} ${signal.id}: ${formatValue(signal.reason)}`;
  if ('cost' in signal) return `${kind} ${formatValue(signal.topic)} up to ${signal.cost}`;
  return 'topic' in signal ? `${kind} ${formatValue(signal.topic)} (${signal.count})` : kind;
}

function channelLine({ channel, owner, kind, content }: DescribedChannelSignal): string {
  const whose = owner === 'sender' ? 'own channel' : 'channel';
  return `${whose} ${channel} ${kind}${content === undefined ? '' : `: ${formatValue(content)}`}`;
}

const MAX_DEPTH = 4;
const MAX_ITEMS = 20;
const MAX_TEXT = 200;
const MAX_BYTES = 16;

/**
 * Formats a value as readable text, much as JavaScript would write it. Shortens long and deep values, and marks cycles.
 */
export function formatValue(value: unknown): string {
  return format(value, []);
}

function format(value: unknown, around: readonly object[]): string {
  if (typeof value === 'string') return JSON.stringify(shortened(value));
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (around.includes(value)) return '<cycle>';
  if (around.length === MAX_DEPTH) return '…';
  const inner = [...around, value];
  const part = (each: unknown) => format(each, inner);
  if (value instanceof ByReference) return formatReference(value, part);
  if (value instanceof Error) return formatError(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof RegExp || value instanceof URL) return String(value);
  if (Array.isArray(value)) return `[${listed(value, part)}]`;
  if (value instanceof Set) return `Set {${listed(value, part)}}`;
  if (value instanceof Map) return `Map {${listed(value, ([key, each]) => `${part(key)} => ${part(each)}`)}}`;
  if (value instanceof ArrayBuffer) return `ArrayBuffer [${bytesOf(new Uint8Array(value))}]`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name} [${viewed(value)}]`;
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  const fields = listed(Object.entries(value), ([key, each]) => `${formatPath([key], true)}: ${part(each)}`);
  return `${name === undefined || name === 'Object' ? '' : `${name} `}{${fields === '' ? '' : ` ${fields} `}}`;
}

function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

function formatError(error: Error): string {
  const code: unknown = (error as { code?: unknown }).code;
  return `${error.name}${typeof code === 'string' ? ` ${code}` : ''}: ${error.message}`;
}

function viewed(view: ArrayBufferView): string {
  if (view instanceof Uint8Array) return bytesOf(view);
  return view instanceof DataView ? `${view.byteLength} bytes` : listed(view as unknown as Iterable<unknown>, String);
}

function bytesOf(bytes: Uint8Array): string {
  const shown = [...bytes.subarray(0, MAX_BYTES)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return bytes.length > MAX_BYTES ? `${shown} … ${bytes.length} bytes` : shown;
}

function listed<T>(items: Iterable<T>, each: (item: T) => string): string {
  const shown: string[] = [];
  let count = 0;
  for (const item of items) if (count++ < MAX_ITEMS) shown.push(each(item));
  if (count > MAX_ITEMS) shown.push(`… ${count - MAX_ITEMS} more`);
  return shown.join(', ');
}

/** Formats a value inside of a reference. */
type Format = (value: unknown) => string;

/**
 * Formats a path as JavaScript writes it. With `isBare`, the first name is written like that of a field in an object.
 */
function formatPath(path: readonly string[], isBare = false): string {
  const [first = '', ...rest] = path;
  const isName = (name: string) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);
  if (isBare) return (isName(first) ? first : JSON.stringify(first)) + formatPath(rest);
  return path.map((name) => (isName(name) ? `.${name}` : `[${JSON.stringify(name)}]`)).join('');
}

/**
 * Formats a call with its receiver and arguments. `$1` is the result of call 1, `#1` a reference sent by the callee.
 */
function formatCall({ receiver, path, method, args }: DescribedCall, format: Format): string {
  const names = method === undefined ? path : [...path, method];
  const isOwn = receiver.kind === 'connection target';
  const called =
    isOwn && names.length > 0 ? formatPath(names, true) : formatReference(receiver, format) + formatPath(names);
  return args === undefined ? called : `${called}(${args.map(format).join(', ')})`;
}

/** Formats a reference, and the path that is read from it. */
function formatReference(reference: ByReference, format: Format): string {
  return nounOf(reference, format) + formatPath(reference.path);
}

function nounOf({ kind, id, content }: ByReference, format: Format): string {
  if (kind === 'connection target') return '<target>';
  if (kind === 'result') return `$${id}`;
  if (kind === 'reference') return `#${id}`;
  if (kind === 'element' || kind === 'key') return kind;
  if (kind === 'subscription') {
    const { topic, last, missed } = content as { topic: string; last: Position; missed: number };
    return `<subscription to ${format(topic)} behind ${last[1]}${missed > 0 ? `, ${missed} missed` : ''}>`;
  }
  if (kind === 'recording') {
    const { calls, result, captures } = content as DescribedRecording;
    const steps = calls.map((call) => `$${call.id} = ${formatCall(call, format)}; `).join('');
    const used = captures.length > 0 ? ` with captures ${captures.map(format).join(', ')}` : '';
    return `<(element, key) => { ${steps}return ${format(result)} }${used}>`;
  }
  if (kind === 'signal' && id === undefined) return `<signal aborted: ${format(content)}>`;
  return `<${kind} ${id}${content === 'bytes' ? ' of bytes' : ''}>`;
}
