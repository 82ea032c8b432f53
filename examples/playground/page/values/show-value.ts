import { className, describeValue } from '../../../../tools/difference/describe-value.ts';

/** Beyond so much of a value the rest is left out, so that none can fill the page. */
const MAX_LINES = 60;
const MAX_ITEMS = 24;
const MAX_TEXT = 120;
const MAX_WIDTH = 56;
const MAX_BYTES = 32;
const MAX_DEPTH = 20;
const INDENT = '  ';

/** Writes a value as a program would have to make it, nearly: what JSON would lose is to be seen. */
export function showValue(value: unknown): string {
  try {
    return write(value);
  } catch (error) {
    // Such as a Proxy, which may do so whatever is asked of it.
    return `<a value that throws when it is looked at: ${describeValue(error)}>`;
  }
}

function write(value: unknown): string {
  /** Objects that are there more than once, which only the first of two looks finds out. */
  const numbers = new Map<object, number>();
  const look = () => {
    const seen = new Set<object>();
    const show: Show = (shown, indent) => {
      if (typeof shown === 'function') return `[function ${shown.name || 'without a name'}]`;
      if (typeof shown !== 'object' || shown === null) return showPrimitive(shown);
      if (seen.has(shown)) {
        if (!numbers.has(shown)) numbers.set(shown, numbers.size + 1);
        return `<the object *${numbers.get(shown)}>`;
      }
      if (indent.length > MAX_DEPTH * INDENT.length) return '…';
      seen.add(shown);
      const text = showObject(shown, indent, show);
      return numbers.has(shown) ? `*${numbers.get(shown)} ${text}` : text;
    };
    return show(value, '').split('\n');
  };

  look();
  const lines = look();
  return lines.length <= MAX_LINES
    ? lines.join('\n')
    : `${lines.slice(0, MAX_LINES).join('\n')}\n… and ${lines.length - MAX_LINES} lines more`;
}

type Show = (value: unknown, indent: string) => string;

function showPrimitive(value: unknown): string {
  if (typeof value === 'string') return showText(value);
  if (typeof value === 'bigint') return `${cut(String(value))}n`;
  return Object.is(value, -0) ? '-0' : String(value);
}

/** As JSON, which escapes lone surrogates too. */
function showText(text: string): string {
  return text.length <= MAX_TEXT
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, MAX_TEXT))}… (${text.length})`;
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}

function showObject(value: object, indent: string, show: Show): string {
  const name = className(value);
  const deeper = indent + INDENT;
  const properties = () => few(namedProperties(value), (key) => showProperty(value, key, deeper, show));
  if (Array.isArray(value)) return list('', '[', [...items(value, deeper, show), ...properties()], ']', indent);
  if (value instanceof Map) {
    const entries = few([...value], ([key, item]) => `${show(key, deeper)} => ${show(item, deeper)}`);
    return list(`Map(${value.size}) `, '{', [...entries, ...properties()], '}', indent);
  }
  if (value instanceof Set) {
    const members = few([...value], (member) => show(member, deeper));
    return list(`Set(${value.size}) `, '{', [...members, ...properties()], '}', indent);
  }
  const head = headOf(value, name);
  if (head !== undefined) {
    const parts = partsOf(value, deeper, show);
    return parts.length === 0 ? head : list(`${head} `, '{', parts, '}', indent);
  }
  const prefix = name === 'Object' ? '' : name === 'null prototype' ? '[no prototype] ' : `${name} `;
  return list(prefix, '{', properties(), '}', indent);
}

/** What a built-in class's instance is, where its properties do not say it; undefined for others. */
function headOf(value: object, name: string): string | undefined {
  if (value instanceof Date) return `Date ${Number.isNaN(value.getTime()) ? 'invalid' : value.toISOString()}`;
  if (value instanceof RegExp) return `${value}${value.lastIndex === 0 ? '' : ` at ${value.lastIndex}`}`;
  if (value instanceof Error) return `${name} ${showText(value.message)}`;
  if (value instanceof DOMException) return `DOMException ${value.name} ${showText(value.message)}`;
  if (value instanceof ArrayBuffer) return `${name}(${value.byteLength}) ${hexOf(new Uint8Array(value))}`;
  if (value instanceof DataView) return `${name}(${value.byteLength})`;
  if (ArrayBuffer.isView(value)) return `${name}(${(value as Uint8Array).length}) ${numbersOf(value as Uint8Array)}`;
  if (value instanceof URL || value instanceof URLSearchParams) return `${name} ${cut(String(value))}`;
  if (value instanceof File) return `File ${showText(value.name)}, ${value.size} B, ${value.type || 'no type'}`;
  if (value instanceof Blob) return `Blob ${value.size} B, ${value.type || 'no type'}`;
  if (value instanceof Headers || value instanceof FormData) return name;
  const boxed = [Number, String, Boolean, BigInt].some((of) => value instanceof of);
  return boxed ? `${name} object of ${showPrimitive((value as { valueOf(): unknown }).valueOf())}` : undefined;
}

/** What else is to be said of such an instance. */
function partsOf(value: object, indent: string, show: Show): string[] {
  if (value instanceof Headers || value instanceof FormData) {
    return few([...value], ([key, item]) => `${showText(key)}: ${show(item, indent)}`);
  }
  if (ArrayBuffer.isView(value)) return [`buffer: ${show(value.buffer, indent)}`];
  const hidden = value instanceof Error ? ['cause', 'errors'].filter((key) => Object.hasOwn(value, key)) : [];
  const keys = [...new Set([...hidden, ...namedProperties(value)])];
  return few(keys, (key) => showProperty(value, key, indent, show));
}

/** Writes the first of many, and how many more there are. */
function few<Item>(all: readonly Item[], show: (item: Item) => string): string[] {
  const shown = all.slice(0, MAX_ITEMS).map(show);
  return all.length > MAX_ITEMS ? [...shown, `… ${all.length - MAX_ITEMS} more`] : shown;
}

function items(array: readonly unknown[], indent: string, show: Show): string[] {
  const shown: string[] = [];
  let at = 0;
  while (at < array.length && shown.length < MAX_ITEMS) {
    const start = at;
    while (at < array.length && !Object.hasOwn(array, at) && at - start < MAX_ITEMS * MAX_ITEMS) at++;
    if (at > start) shown.push(at - start === 1 ? '<a hole>' : `<${at - start} holes>`);
    else shown.push(show(array[at++], indent));
  }
  if (at < array.length) shown.push(`… ${array.length - at} more`);
  return shown;
}

/** An object's own properties, but those that are items of a list, or of a text. */
function namedProperties(value: object): string[] {
  const keys = Object.keys(value);
  const isList = Array.isArray(value) || value instanceof String;
  return isList ? keys.filter((key) => !/^\d+$/.test(key)) : keys;
}

/** A property's value, written; a getter of the value's own is not called. */
function showProperty(value: object, key: string, indent: string, show: Show): string {
  const property = Object.getOwnPropertyDescriptor(value, key);
  const shown = property?.get ? '<a getter>' : show(property?.value, indent);
  return `${showKey(key)}: ${shown}`;
}

function showKey(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : showText(key);
}

function hexOf(bytes: Uint8Array): string {
  const shown = [...bytes.subarray(0, MAX_BYTES)].map((byte) => byte.toString(16).padStart(2, '0'));
  return `<${shown.join(' ')}${bytes.length > MAX_BYTES ? ' …' : ''}>`;
}

function numbersOf(view: ArrayLike<number | bigint>): string {
  const shown = Array.from({ length: Math.min(view.length, MAX_BYTES) }, (_, at) => showPrimitive(view[at]));
  return `[${shown.join(', ')}${view.length > MAX_BYTES ? ', …' : ''}]`;
}

/** One line where that is short enough, else one for each item. */
function list(head: string, open: string, shown: readonly string[], close: string, indent: string): string {
  if (shown.length === 0) return `${head}${open}${close}`;
  const line = `${head}${open === '[' ? open : `${open} `}${shown.join(', ')}${close === ']' ? close : ` ${close}`}`;
  if (line.length <= MAX_WIDTH && !line.includes('\n')) return line;
  return `${head}${open}\n${shown.map((item) => `${indent}${INDENT}${item}`).join(',\n')}\n${indent}${close}`;
}
