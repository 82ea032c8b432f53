/** One step from an object to something in it, written as in the path of a `CloneError`. */
export interface Part {
  readonly step: string;
  readonly value: unknown;
}

/** Names what an object is by its internal slots, such as `Map`, `Uint8Array` or `Object`. */
export function brandOf(object: object): string {
  return Object.prototype.toString.call(object).slice(8, -1);
}

/** Properties that errors have without having them among the enumerable ones. */
export const ERROR_FIELDS = ['name', 'message', 'stack', 'cause', 'errors', 'error', 'suppressed'];

/** Lists what is in an object: entries of collections and own properties. What a view shows is its own, like a string's text. */
export function partsOf(object: object): Part[] {
  const parts: Part[] = [];
  const add = (items: Iterable<unknown>, name: string) => {
    let index = 0;
    for (const value of items) parts.push({ step: `.${name}()[${index++}]`, value });
  };
  if (ArrayBuffer.isView(object)) return parts;
  switch (brandOf(object)) {
    case 'Map':
      add((object as Map<unknown, unknown>).keys(), 'keys');
      add((object as Map<unknown, unknown>).values(), 'values');
      break;
    case 'Set':
      add((object as Set<unknown>).values(), 'values');
      break;
    case 'Error':
      for (const key of ['cause', 'errors', 'error', 'suppressed']) {
        // An enumerable one is listed with the other properties.
        const field = Object.getOwnPropertyDescriptor(object, key);
        if (field?.enumerable === false) parts.push({ step: `.${key}`, value: field.value });
      }
  }
  for (const key of Object.keys(object)) {
    parts.push({ step: stepOf(key), value: (object as Record<string, unknown>)[key] });
  }
  return parts;
}

/** Lists all objects that a value leads to, each once, the nearest first. */
export function objectsIn(root: unknown): Set<object> {
  const found = new Set<object>();
  const add = (value: unknown) => {
    if ((typeof value === 'object' && value !== null) || typeof value === 'function') found.add(value);
  };
  add(root);
  // The set grows while it is gone through.
  for (const object of found) for (const { value } of partsOf(object)) add(value);
  return found;
}

/** Follows a path of a `CloneError` from the value it is about; throws where it leads nowhere. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  let rest = path.replace(/^value/, '');
  while (rest !== '') {
    const part = partsOf(value as object).find(({ step }) => isStep(rest, step));
    if (part === undefined) throw new Error(`${path} leads nowhere at ${rest}`);
    value = part.value;
    rest = rest.slice(part.step.length);
  }
  return value;
}

/** Whether a path begins with a step, and not with a longer one. */
function isStep(path: string, step: string): boolean {
  return path.startsWith(step) && /^$|^[.[]/.test(path.slice(step.length));
}

function stepOf(key: string): string {
  if (/^[a-z_$][\w$]*$/i.test(key)) return `.${key}`;
  return `[${/^\d+$/.test(key) ? key : JSON.stringify(key)}]`;
}
