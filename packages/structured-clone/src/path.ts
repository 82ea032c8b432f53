/** Finds where in `root` the subject stands, as `value.users[3].token`; undefined where it is not found. */
export function pathTo(root: unknown, subject: unknown): string | undefined {
  const visited = new Set<unknown>();
  const places: [value: unknown, path: string][] = [[root, 'value']];
  // The list grows while it is gone through: the nearest place is found first.
  for (const [value, path] of places) {
    if (Object.is(value, subject)) return path;
    if (typeof value !== 'object' || value === null || visited.has(value)) continue;
    visited.add(value);
    const add = (items: Iterable<unknown>, name: string) => {
      let index = 0;
      for (const item of items) places.push([item, `${path}.${name}()[${index++}]`]);
    };
    if (value instanceof Map) add(value.keys(), 'keys');
    if (value instanceof Map || value instanceof Set) add(value.values(), 'values');
    for (const key of [...Object.keys(value), 'cause', 'errors']) {
      const isName = /^[a-z_$][\w$]*$/i.test(key);
      const isIndex = Array.isArray(value) && /^\d+$/.test(key);
      const step = isName ? `.${key}` : `[${isIndex ? key : JSON.stringify(key)}]`;
      places.push([(value as Record<string, unknown>)[key], path + step]);
    }
  }
  return undefined;
}
