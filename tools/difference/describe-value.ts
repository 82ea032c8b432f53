const LONGEST = 28;

/** Describes a value in a few characters, such as `"text"`, `Map(2)` or `{"a":1}`. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return shortened(JSON.stringify(value));
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
      return `${shortened(String(value))}n`;
    case 'function':
      return 'a function';
    case 'object':
      return value === null ? 'null' : describeObject(value);
    default:
      return String(value);
  }
}

/** Returns the name of an object's class; of one without a prototype, `null prototype`. */
export function className(value: object): string {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null) return 'null prototype';
  const name: unknown = prototype.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'object';
}

function describeObject(value: object): string {
  const name = className(value);
  if (['Object', 'null prototype', 'Array'].includes(name)) return describePlain(value, name);
  if (value instanceof Error) return `${name} ${describeValue(value.message)}`;
  if (value instanceof Map || value instanceof Set) return `${name}(${value.size})`;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `${name}(${value.byteLength} B)`;
  return name;
}

function describePlain(value: object, name: string): string {
  try {
    // Undefined becomes a word of its own: JSON would leave it out, and it would look as if nothing were there.
    const text = JSON.stringify(value, (_, inner) => (inner === undefined ? 'undefined' : inner));
    if (text.length <= LONGEST) return text;
  } catch {
    // A cycle, a bigint or a toJSON that throws: its class says enough.
  }
  return name === 'Array' ? `Array(${(value as unknown[]).length})` : '{…}';
}

function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}
