/** The part in use of an object's SQLite database. */
export interface Database {
  exec<Row extends Record<string, number>>(
    query: string,
    ...bindings: string[]
  ): { one(): Row; readonly rowsWritten: number };
}

/** What is called: nothing at all, and a write. */
export interface BackEnd {
  noop(): void;
  /** Adds a row and returns the number of rows written: 1. */
  insert(text: string): number;
  /** Returns the number of rows. */
  rows(): number;
}

/** A small row: about a hundred bytes. */
export const ROW = 'Ada wrote this line, and as it is to be kept it goes to the disk before anybody is told so.';

/** Makes the back end from a library's own `RpcTarget`: every subject runs this very class. */
export function backEndOn(RpcTarget: abstract new () => object): (sql: Database) => BackEnd {
  class BackEndTarget extends RpcTarget implements BackEnd {
    readonly #sql: Database;

    constructor(sql: Database) {
      super();
      this.#sql = sql;
    }

    noop(): void {}

    insert(text: string): number {
      return this.#sql.exec('INSERT INTO lines (text) VALUES (?)', text).rowsWritten;
    }

    rows(): number {
      return this.#sql.exec<{ rows: number }>('SELECT count(*) AS rows FROM lines').one().rows;
    }
  }

  return (sql) => {
    sql.exec('CREATE TABLE IF NOT EXISTS lines (id INTEGER PRIMARY KEY, text TEXT NOT NULL)');
    return new BackEndTarget(sql);
  };
}
