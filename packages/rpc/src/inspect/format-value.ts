import { ByReference } from './by-reference.ts';
import { formatPath, formatReference } from './format-reference.ts';

const MAX_DEPTH = 4;
const MAX_ITEMS = 20;
const MAX_TEXT = 200;
const MAX_BYTES = 16;

/** Writes a value for people, much as JavaScript would, and shortened where it is long, deep or cyclic. */
export function formatValue(value: unknown): string {
  return format(value, []);
}

/** Writes values with commas between. */
export function formatValues(values: Iterable<unknown>): string {
  return listed(values, (value) => format(value, []));
}

function format(value: unknown, around: readonly object[]): string {
  if (typeof value === 'string') return quoted(value);
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
  const name = nameOf(value);
  const fields = listed(Object.entries(value), ([key, each]) => `${formatPath([key], true)}: ${part(each)}`);
  return `${name === undefined || name === 'Object' ? '' : `${name} `}{${fields === '' ? '' : ` ${fields} `}}`;
}

function nameOf(value: object): string | undefined {
  return (Object.getPrototypeOf(value)?.constructor as { name?: string } | undefined)?.name;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
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
