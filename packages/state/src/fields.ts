/** Any record. */
export type Plain = Readonly<Record<string, unknown>>;

/** Returns a record with fields changed. A field that is undefined is removed; a new one comes behind the others. */
export function withFields<T extends object>(record: T, fields: Plain): T {
  // Unlike an assignment, this sets a field of any name, such as `__proto__`.
  const all = new Map<string, unknown>(Object.entries(record));
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) all.delete(name);
    else all.set(name, value);
  }
  return Object.fromEntries(all) as T;
}
