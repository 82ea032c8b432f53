/** Finds where in `root` the subject stands, as `value.users[3].token`; undefined where it is not found. */
export function pathTo(root: unknown, subject: unknown): string | undefined {
  const visited = new Set<unknown>();
  const waiting: [value: unknown, path: string][] = [[root, 'value']];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, path] = next;
    if (Object.is(value, subject)) return path;
    if (typeof value !== 'object' || value === null || visited.has(value)) continue;
    visited.add(value);
    // Backwards, so that of several places the first is found first.
    waiting.push(...childrenOf(value, path).reverse());
  }
  return undefined;
}

function childrenOf(value: object, path: string): [unknown, string][] {
  const children: [unknown, string][] = [];
  if (value instanceof Map) {
    let index = 0;
    for (const [key, item] of value) {
      children.push([key, `${path}.keys()[${index}]`], [item, `${path}.values()[${index}]`]);
      index++;
    }
  } else if (value instanceof Set) {
    let index = 0;
    for (const item of value) children.push([item, `${path}.values()[${index++}]`]);
  } else {
    for (const key of Object.keys(value))
      children.push([(value as Record<string, unknown>)[key], path + step(value, key)]);
    if (value instanceof Error && Object.hasOwn(value, 'cause')) children.push([value.cause, `${path}.cause`]);
  }
  return children;
}

function step(container: object, key: string): string {
  if (Array.isArray(container)) return `[${key}]`;
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
