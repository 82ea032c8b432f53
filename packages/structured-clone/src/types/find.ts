import type { Row } from './row.ts';

/** The types that a codec carries. */
export interface Types {
  /** Rows by what their instances are marked with. */
  readonly byMark: ReadonlyMap<string, Row>;
  /** Finds the row of an instance with this prototype by what it is; undefined for instances of unknown classes. */
  find(value: object, prototype: object): Row | undefined;
}

/** Makes a table of the rows that some functions make: bundlers leave out those of tables that nobody uses. */
export function createTypes(...makers: readonly (() => readonly Row[])[]): Types {
  const rows = makers.flatMap((make) => make());
  const byMark = new Map(rows.map((row) => [`$${row.name}`, row]));
  const unnamed = rows.filter((row) => row.is);
  /** Of the platform's own prototypes, whose instances need no more looking at. */
  const known = new WeakMap<object, Row>();

  return {
    byMark,
    find(value, prototype) {
      const row = known.get(prototype) ?? unnamed.find((row) => row.is!(value));
      if (row) return row;
      // Built-in classes name themselves, in every realm. Those of `Temporal` are of one type, and so have a name of two parts.
      const [first, name = first] = Object.prototype.toString.call(value).slice(8, -1).split('.');
      const named = byMark.get(`$${first}`);
      if (!named || named.is) return undefined;
      // Any class can call itself anything: only instances of the class with that name are meant, of this realm or another.
      for (let at = prototype; at; at = Object.getPrototypeOf(at)) {
        if (!Object.hasOwn(at, 'constructor') || at.constructor?.name !== name) continue;
        if (named.nearest) return named.nearest(value, rows) ?? named;
        if (at === prototype) known.set(prototype, named);
        return named;
      }
      return undefined;
    },
  };
}
