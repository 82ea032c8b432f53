import type { Row } from './row.ts';

/** A row in a table. */
export interface MarkedRow extends Row {
  /** The mark of its instances. It is part of the row because engines take long to make a key for each instance. */
  readonly mark: string;
}

/** The types that a codec supports. */
export interface Types {
  /** Rows by their marks. */
  readonly byMark: ReadonlyMap<string, MarkedRow>;
  /** Returns the row of an instance with this prototype, or undefined if its class is unknown. */
  find(value: object, prototype: object): MarkedRow | undefined;
}

/**
 * Creates a table of the rows that the given functions return. Functions let bundlers leave out unused tables. The table
 * is made on first use, because it takes many times longer than a first value that needs none.
 */
export function createTypes(...makers: readonly (() => readonly Row[])[]): Types {
  let rows: readonly MarkedRow[];
  let unnamed: readonly MarkedRow[];
  let byMark: ReadonlyMap<string, MarkedRow> | undefined;
  /** Rows by prototype, for the platform's own prototypes. Their instances need no further checks. */
  const known = new WeakMap<object, MarkedRow>();

  return {
    get byMark() {
      if (!byMark) {
        rows = makers
          .flatMap((make) => make())
          .map((row) => Object.assign(Object.create(null), row, { mark: `$${row.name}` }));
        unnamed = rows.filter((row) => row.is);
        byMark = new Map(rows.map((row) => [row.mark, row]));
      }
      return byMark;
    },
    find(value, prototype) {
      const { byMark } = this;
      const row = known.get(prototype) ?? unnamed.find((row) => row.is!(value));
      if (row) return row;
      // Built-in classes name themselves, in every realm. All classes of `Temporal` share one row, so their names have
      // two parts, such as `Temporal.PlainDate`.
      const [first, name = first] = Object.prototype.toString.call(value).slice(8, -1).split('.');
      const named = byMark.get(`$${first}`);
      // A class of errors may give its instances another name.
      if (!named && value instanceof Error) return byMark.get('$Error')?.nearest?.(value, rows);
      if (!named || named.is) return undefined;
      // Any class can give itself any name. Accept only instances of the class with that name, of this realm or
      // another.
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
