/** Finds where in `root` the subject stands, as `value.users[3].token`; undefined where it is not found. */
export function pathTo(root: unknown, subject: unknown): string | undefined {
  const paths = new Map([[root, 'value']]);
  // The map grows while it is gone through: the nearest place is found first.
  for (const [value, path] of paths) {
    if (value === subject) break;
    if (typeof value !== 'object' || value === null) continue;
    const add = (item: unknown, step: string) => paths.set(item, paths.get(item) ?? path + step);
    if (value instanceof Map || value instanceof Set) {
      for (const list of ['values', 'keys'] as const) {
        for (const [index, item] of [...value[list]()].entries()) add(item, `.${list}()[${index}]`);
      }
    }
    // The last two are not enumerable on errors.
    for (const key of [...Object.keys(value), 'cause', 'errors']) {
      const index = Array.isArray(value) && `${Number(key) >>> 0}` === key ? key : JSON.stringify(key);
      add((value as Record<string, unknown>)[key], /^[a-z_$][\w$]*$/i.test(key) ? `.${key}` : `[${index}]`);
    }
  }
  return paths.get(subject);
}
