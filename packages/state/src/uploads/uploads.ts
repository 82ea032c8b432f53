import { RpcError } from '@lumenize/rpc/server';
import { withTables } from '../tables.ts';
import { checkedDescription, hexOf, type UploadsOptions, withDefaults } from './options.ts';
import { responseOf } from './response.ts';
import { UploadTarget } from './target.ts';
import { type Begun, PART_BYTES, type UploadedFile } from './wire.ts';

/** Numbers of parts that an upload has for itself: more than fit into an object. */
const PARTS = 2 ** 20;

const TABLES = [
  // Ids are not given again: a part that comes late must not become one of another upload.
  `CREATE TABLE IF NOT EXISTS lumenize_uploads (id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT, key TEXT, name TEXT,
    type TEXT, size INTEGER, sha256 TEXT, by TEXT, at INTEGER, file TEXT, UNIQUE (owner, key))`,
  'CREATE TABLE IF NOT EXISTS lumenize_upload_parts (id INTEGER PRIMARY KEY, bytes BLOB)',
];
const INSERT = `INSERT INTO lumenize_uploads (owner, key, name, type, size, sha256, by, at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`;
const COUNT = 'SELECT count(*) AS files, ifnull(sum(size), 0) AS bytes FROM lumenize_uploads';
const OF_KEY = 'owner = ? AND key = ?';
const OF_OWNER = 'id = ? AND owner = ?';
const PARTS_OF = 'lumenize_upload_parts WHERE id BETWEEN ? AND ?';

/** An upload as it is stored. `file` is the random part of the file's id, once it is complete. */
interface Row extends Record<string, SqlStorageValue> {
  id: number;
  name: string;
  type: string;
  size: number;
  sha256: string;
  by: string;
  /** When it was begun last, in milliseconds since 1970. */
  at: number;
  file: string | null;
}

/**
 * The files that clients have uploaded into an object. Each part of a file is a row of its SQLite storage, so that an
 * upload goes on where it was, whatever happened to the client, the connection or the object.
 */
export class Uploads {
  readonly #storage: DurableObjectStorage;
  readonly #options: ReturnType<typeof withDefaults>;

  constructor(storage: DurableObjectStorage, options: UploadsOptions = {}) {
    this.#storage = storage;
    this.#options = withDefaults(options);
  }

  /**
   * Returns the target with which a caller uploads, for a getter of your own target. `owner` is the caller's name: only
   * the same owner goes on with an upload, or gets the file that it has uploaded before.
   */
  for(owner: string): UploadTarget {
    return new UploadTarget(this, owner);
  }

  /** Returns a file that is complete. */
  get(id: string): UploadedFile | undefined {
    const [upload, file] = id.split('.');
    return this.#rows('id = ? AND file = ?', upload, file ?? '').map(fileOf)[0];
  }

  /** Returns the files of an owner that are complete. */
  files(owner: string): UploadedFile[] {
    return this.#rows('owner = ? AND file > ?', owner, '').map(fileOf);
  }

  /** Deletes a file, and returns true if there was one. */
  delete(id: string): boolean {
    const file = this.get(id);
    if (file !== undefined) this.#drop(Number.parseInt(id, 10));
    return file !== undefined;
  }

  /** Answers a GET or HEAD request for a file, also for a range of it. The bytes are read as they are sent. */
  response(id: string, request: Request): Response {
    return responseOf(request, this.get(id), (part) => this.#part(Number.parseInt(id, 10), part));
  }

  /**
   * Deletes uploads that were begun too long ago and are not complete. Each `begin` does; call it from an alarm of your
   * own if nobody may upload for long. Returns when the next one is due, in milliseconds since 1970; undefined if none is.
   */
  sweep(): number | undefined {
    const { abandonedAfterMs } = this.#options;
    for (const { id } of this.#rows('file IS NULL AND at <= ?', Date.now() - abandonedAfterMs)) this.#drop(id);
    const [next] = this.#rows('file IS NULL ORDER BY at LIMIT 1');
    return next && next.at + abandonedAfterMs;
  }

  /** @internal */
  begin(owner: string, given: unknown): Begun {
    const { name, type, size, sha256, by, key } = checkedDescription(given, this.#options);
    this.sweep();
    const [known] = this.#rows(OF_KEY, owner, key);
    if (known === undefined) {
      this.#requireRoom(size);
      const [{ id }] = this.#exec<Row>(INSERT, owner, key, name, type, size, sha256, by, Date.now());
      return { upload: id, received: 0 };
    }
    const { id, file } = known;
    if (file !== null) return { upload: id, received: size, file: fileOf(known) };
    this.#exec('UPDATE lumenize_uploads SET by = ?, at = ? WHERE id = ?', by, Date.now(), id);
    return { upload: id, received: this.#received(known) };
  }

  /** @internal */
  write(owner: string, upload: number, offset: number, bytes: Uint8Array): number {
    const [row] = this.#rows(OF_OWNER, Number(upload), owner);
    if (row === undefined) return -1;
    const received = this.#received(row);
    if (offset !== received || received === row.size) return received;
    if (!(bytes instanceof Uint8Array) || bytes.length !== Math.min(PART_BYTES, row.size - offset)) {
      throw new RpcError('INVALID_ARGUMENTS', `a part has ${PART_BYTES} bytes, but the last one`);
    }
    // The type only knows buffers, but a view is stored as the bytes that it shows.
    const stored = bytes as unknown as ArrayBuffer;
    this.#exec('INSERT INTO lumenize_upload_parts VALUES (?, ?)', upload * PARTS + offset / PART_BYTES, stored);
    return offset + bytes.length;
  }

  /** @internal */
  async finish(owner: string, upload: number): Promise<UploadedFile | undefined> {
    const complete = () => {
      const [row] = this.#rows(OF_OWNER, Number(upload), owner);
      return row !== undefined && this.#received(row) === row.size ? row : undefined;
    };
    const row = complete();
    if (row?.file === null) {
      const digest = new crypto.DigestStream('SHA-256');
      const writer = digest.getWriter();
      for (let part = 0; part * PART_BYTES < row.size; part++) {
        // Nothing if it was cancelled meanwhile, which is seen below.
        await writer.write(this.#part(upload, part) ?? new Uint8Array());
      }
      await writer.close();
      const sha256 = hexOf(new Uint8Array(await digest.digest));
      if (complete()?.file === null) this.#complete(owner, row, sha256);
    }
    const file = complete();
    return file && fileOf(file);
  }

  /** @internal */
  cancel(owner: string, given: unknown): void {
    const { key, by } = checkedDescription(given, this.#options);
    const [row] = this.#rows(OF_KEY, owner, key);
    // A file that an earlier call has finished may be in use.
    if (row?.file === null || row?.by === by) this.#drop(row.id);
  }

  #complete(owner: string, row: Row, sha256: string): void {
    if (sha256 !== row.sha256) {
      this.#drop(row.id);
      throw new RpcError('INVALID_ARGUMENTS', 'the bytes have another checksum: did the file change?');
    }
    this.#storage.transactionSync(() => {
      const file = crypto.randomUUID();
      this.#exec('UPDATE lumenize_uploads SET file = ? WHERE id = ?', file, row.id);
      this.#options.onFinish?.(fileOf({ ...row, file }), owner);
    });
  }

  #requireRoom(bytes: number): void {
    const { maxTotalBytes, maxFiles } = this.#options;
    const [used] = this.#exec<{ files: number; bytes: number }>(COUNT);
    if (used.files >= maxFiles || used.bytes + bytes > maxTotalBytes) {
      throw new RpcError('LIMIT_EXCEEDED', `no room: there are ${used.files} files with ${used.bytes} bytes`);
    }
  }

  /** Returns the number of bytes that are stored of an upload: its parts come in order. */
  #received({ id, size }: Row): number {
    const [{ last }] = this.#exec<{ last: number | null }>(`SELECT max(id) AS last FROM ${PARTS_OF}`, ...placesOf(id));
    return last === null ? 0 : Math.min((last - id * PARTS + 1) * PART_BYTES, size);
  }

  #part(upload: number, part: number): Uint8Array | undefined {
    const place = upload * PARTS + part;
    const [row] = this.#exec<{ bytes: ArrayBuffer }>(`SELECT bytes FROM ${PARTS_OF}`, place, place);
    return row && new Uint8Array(row.bytes);
  }

  #drop(upload: number): void {
    this.#exec('DELETE FROM lumenize_uploads WHERE id = ?', upload);
    this.#exec(`DELETE FROM ${PARTS_OF}`, ...placesOf(upload));
  }

  #rows(where: string, ...values: SqlStorageValue[]): Row[] {
    return this.#exec(`SELECT * FROM lumenize_uploads WHERE ${where}`, ...values);
  }

  #exec<Result extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): Result[] {
    const { sql } = this.#storage;
    return withTables(sql, TABLES, () => sql.exec<Result>(query, ...values).toArray());
  }
}

/** The places of an upload's first part and behind its last one. */
function placesOf(upload: number): [first: number, last: number] {
  return [upload * PARTS, upload * PARTS + PARTS - 1];
}

function fileOf({ id, file, name, type, size, sha256 }: Row): UploadedFile {
  return { id: `${id}.${file}`, name, type, size, sha256 };
}
