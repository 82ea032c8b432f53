import { parse, stringify } from '@lumenize/rpc/adapter';
import { RpcError, type StandardSchema } from '@lumenize/rpc/server';
import { type Plain, withFields } from '../fields.ts';
import type { Fields, Identified } from '../records.ts';
import { inOrderOf } from './changed-fields.ts';
import type { Row } from './rows.ts';

/** Largest record, in bytes. A row can hold 2 MB with everything in it. */
const MAX_RECORD_BYTES = 1_900_000;
const MAX_ID_LENGTH = 1000;
/** The bytes that a UTF-16 unit takes at most. */
const MAX_UNIT_BYTES = 3;

/** Options of a collection. */
export interface CollectionOptions<T extends Identified> {
  /** Checks records before they are stored, and gives the record to store. It has to be synchronous. */
  readonly schema?: StandardSchema<T> | undefined;
  /** The number of the format in which records are stored. Raise it when they change. @default 1 */
  readonly format?: number;
  /**
   * Makes a record of one that was stored in an earlier format. It is called when such a record is read, and has to
   * return the same each time. Records are stored in the new format when they change.
   */
  readonly migrate?: (record: never, format: number) => T;
}

/** Declares a collection: `new State(this, { cards: collection<Card>() })`. */
export function collection<T extends Identified>(options: CollectionOptions<T> = {}): CollectionOptions<T> {
  return options;
}

/** The rows of a collection, and how to change them. */
interface CollectionRows {
  get(id: string): Row | undefined;
  all(): Iterable<Row>;
  readonly count: number;
  /** Writes a record, or deletes it if there is no text of one. `before` is what was stored. */
  write(id: string, format: number, text: string | null, before: Row | undefined): void;
}

/** The records of one kind. Each is a row in the object's storage, and its changes are sent to all who follow. */
export class Collection<T extends Identified> implements Iterable<T> {
  readonly #name: string;
  readonly #rows: CollectionRows;
  readonly #options: CollectionOptions<T>;

  /** @internal */
  constructor(name: string, rows: CollectionRows, options: CollectionOptions<T>) {
    this.#name = name;
    this.#rows = rows;
    this.#options = options;
  }

  /** Number of records, which are counted each time. */
  get count(): number {
    return this.#rows.count;
  }

  /** Returns a copy of a record; undefined if there is none. */
  get(id: string): T | undefined {
    const row = this.#rows.get(id);
    return row === undefined ? undefined : this.read(row);
  }

  /** Returns true if there is a record with this id. */
  has(id: string): boolean {
    return typeof this.#rows.get(id)?.data === 'string';
  }

  /** Yields copies of all records, by their ids. Records must not change meanwhile: copy them into a list before. */
  *[Symbol.iterator](): Iterator<T> {
    for (const row of this.#rows.all()) yield this.read(row)!;
  }

  /**
   * Stores a record, in place of the one with its id if there is one. Followers get the fields that have changed.
   * Fields that are undefined are left out.
   * @throws {RpcError} `INVALID_ARGUMENTS` if the schema refuses it, `TOO_LARGE` above 1900000 bytes
   * @throws {TypeError} if it is no plain object with an id
   */
  put(record: T): void {
    requirePlain(record, this.#name);
    this.#store(record, this.#rows.get(record.id));
  }

  /**
   * Changes fields of a record, and returns the record. A field that is undefined is removed.
   * @throws {RangeError} if there is no such record
   * @throws {RpcError} `INVALID_ARGUMENTS` if the schema refuses the record, `TOO_LARGE` above 1900000 bytes
   */
  patch(id: string, fields: Fields<T>): T {
    const row = this.#rows.get(id);
    const before = row && this.read(row);
    if (before === undefined) throw new RangeError(`${this.#name} has no record ${JSON.stringify(id)}`);
    return this.#store(withFields(before, { ...(fields as Plain), id }), row);
  }

  /** Deletes a record, and returns true if there was one. */
  delete(id: string): boolean {
    const row = this.#rows.get(id);
    if (row === undefined || row.data === null) return false;
    this.#rows.write(id, 0, null, row);
    return true;
  }

  /** Returns the record of a row, in the present format; undefined for a tombstone. @internal */
  read({ data, format }: Pick<Row, 'data' | 'format'>): T | undefined {
    if (data === null) return undefined;
    const record = parse(data) as T;
    const { migrate } = this.#options;
    return this.isOf(format) || migrate === undefined ? record : migrate(record as never, format);
  }

  /** Returns true if this is the present format. @internal */
  isOf(format: number): boolean {
    return format === this.format;
  }

  /** The number of the present format. @internal */
  get format(): number {
    return this.#options.format ?? 1;
  }

  #store(given: T, row: Row | undefined): T {
    const record = this.#checked(given);
    const before = row && this.read(row);
    const stored = inOrderOf(before as Plain | undefined, record as unknown as Plain);
    const text = stringify(stored);
    if (text.length * MAX_UNIT_BYTES > MAX_RECORD_BYTES) this.#requireRoom(record.id, text);
    if (text !== row?.data || !this.isOf(row.format)) this.#rows.write(record.id, this.format, text, row);
    return stored as unknown as T;
  }

  #checked(record: T): T {
    const result = this.#options.schema?.['~standard'].validate(record);
    if (result === undefined) return record;
    if (result instanceof Promise) throw new TypeError(`the schema of ${this.#name} has to be synchronous`);
    if (result.issues !== undefined) {
      const issues = result.issues.map(({ message, path = [] }) => ({
        message,
        path: path.map((part) => (typeof part === 'object' ? part.key : part)),
      }));
      const told = `${this.#name}: ${issues.map(({ message, path }) => `${path.join('.')}: ${message}`).join('; ')}`;
      throw new RpcError('INVALID_ARGUMENTS', told, { data: { issues } });
    }
    const { value } = result;
    requirePlain(value, this.#name);
    if (value.id !== record.id) throw new TypeError(`the schema of ${this.#name} must not change an id`);
    return value;
  }

  #requireRoom(id: string, text: string): void {
    if (new TextEncoder().encode(text).length <= MAX_RECORD_BYTES) return;
    const what = `the record ${JSON.stringify(id)} of ${this.#name}`;
    throw new RpcError('TOO_LARGE', `${what} has more than ${MAX_RECORD_BYTES} bytes: keep it in several records`);
  }
}

/** @throws {TypeError} if a value is no record */
function requirePlain(value: Identified, name: string): void {
  const isPlain =
    typeof value === 'object' && value !== null && [null, Object.prototype].includes(Object.getPrototypeOf(value));
  const id = isPlain ? value.id : undefined;
  if (typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH) return;
  throw new TypeError(`${name} takes plain objects with an id: a text of 1 to ${MAX_ID_LENGTH} characters`);
}
