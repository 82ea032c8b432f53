/** Any record. */
export type Plain = Readonly<Record<string, unknown>>;

/** Returns a record with fields changed. A field that is undefined is removed; a new one comes behind the others. */
export function withFields<T extends object>(record: T, fields: Plain): T {
  // Unlike assignments, this also sets a field with the name `__proto__`.
  const all: Record<string, unknown> = { ...record, ...fields };
  for (const name of Object.keys(fields)) if (fields[name] === undefined) delete all[name];
  return all as T;
}
