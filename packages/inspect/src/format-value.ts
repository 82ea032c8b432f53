import { ByReference, type DescribedCall, type DescribedCallback, type TopicPosition } from './frame-description.ts';

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
  const fields = listed(
    Object.entries(value),
    ([key, each]) => `${isName(key) ? key : JSON.stringify(key)}: ${part(each)}`,
  );
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

function isName(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);
}

/**
 * Formats a call with its receiver, as JavaScript writes its chain. `format` formats the arguments. `$1` is the result
 * of call 1, `$1:0` the first result inside of its chain, and `#1` a reference that the callee has sent.
 */
export function formatCall({ receiver, operations }: DescribedCall, format: (value: unknown) => string): string {
  const isOwn = receiver.kind === 'connection target' && operations[0]?.name !== undefined;
  let text = isOwn ? '' : formatReference(receiver, format);
  for (const { name, args } of operations) {
    if (name !== undefined) text += !isName(name) ? `[${JSON.stringify(name)}]` : text === '' ? name : `.${name}`;
    if (args !== undefined) text += `(${args.map(format).join(', ')})`;
  }
  return text;
}

function formatReference({ kind, id, content }: ByReference, format: (value: unknown) => string): string {
  switch (kind) {
    case 'connection target':
      return '<target>';
    case 'result':
      return `$${id}`;
    case 'step':
      return `$${id}:${content}`;
    case 'reference':
      return `#${id}`;
    case 'element':
    case 'key':
      return kind;
    case 'end':
      return '<end>';
    case 'place':
      return `<place of a ${content}>`;
    case 'topic': {
      const { topic, position, missed } = content as { topic: string; position: TopicPosition; missed: unknown };
      return `<topic ${format(topic)} behind ${position[1]}${missed === 0 ? '' : `, ${format(missed)} missed`}>`;
    }
    case 'callback': {
      const { calls, result, captures } = content as DescribedCallback;
      const steps = calls.map((call) => `$${call.id} = ${formatCall(call, format)}; `).join('');
      const used = captures.length > 0 ? ` with captures ${captures.map(format).join(', ')}` : '';
      return `<(element, key) => { ${steps}return ${format(result)} }${used}>`;
    }
    default:
      return id === undefined ? `<${kind} aborted: ${format(content)}>` : `<${kind} ${id}>`;
  }
}
