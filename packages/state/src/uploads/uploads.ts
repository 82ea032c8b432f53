import { RpcError } from '@lumenize/rpc/server';
import { checkedDescription, DEFAULTS, hexOf, type UploadsOptions } from './options.ts';
import { responseOf } from './response.ts';
import { UploadTarget } from './target.ts';
import { type Begun, PART_BYTES, type UploadedFile } from './wire.ts';

/** Numbers of parts that an upload has for itself: more than fit into an object. */
const PARTS = 2 ** 20;

const TABLES = [
  `CREATE TABLE IF NOT EXISTS lumenize_uploads (id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL,
    key TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL,
    by TEXT NOT NULL, at INTEGER NOT NULL, file TEXT, UNIQUE (owner, key))`,
  'CREATE TABLE IF NOT EXISTS lumenize_upload_parts (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)',
];

/** An upload as it is stored. `file` is the random part of the file's id, once it is complete. */
interface Row extends Record<string, SqlStorageValue> {
  id: number;
  name: string;
  type: string;
  size: number;
  sha256: string;
  by: string;
  file: string | null;
}

/**
 * The files that clients have uploaded into an object. Each part of a file is a row of its SQLite storage, so that an
 * upload goes on where it was, whatever happened to the client, the connection or the object.
 */
export class Uploads {
  readonly #storage: DurableObjectStorage;
  readonly #options: UploadsOptions & typeof DEFAULTS;

  constructor(storage: DurableObjectStorage, options: UploadsOptions = {}) {
    this.#storage = storage;
    this.#options = { ...DEFAULTS, ...options };
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
    const [row, file] = id.split('.');
    return this.#exec('SELECT * FROM lumenize_uploads WHERE id = ? AND file = ?', Number(row), `${file}`).map(
      fileOf,
    )[0];
  }

  /** Returns the files of an owner that are complete. */
  files(owner: string): UploadedFile[] {
    return this.#exec('SELECT * FROM lumenize_uploads WHERE owner = ? AND file IS NOT NULL', owner).map(fileOf);
  }

  /** Deletes a file, and returns true if there was one. */
  delete(id: string): boolean {
    if (this.get(id) === undefined) return false;
    this.#drop(Number.parseInt(id, 10));
    return true;
  }

  /** Answers a GET or HEAD request for a file, also for a range of it. The bytes are read as they are sent. */
  response(id: string, request: Request): Response {
    const file = this.get(id);
    return responseOf(request, file, (part) => this.#part(Number.parseInt(id, 10), part));
  }

  /**
   * Deletes uploads that were begun too long ago and are not complete. Each `begin` does; call it from an alarm of your
   * own if nobody may upload for long. Returns when the next one is due, in milliseconds since 1970; undefined if none is.
   */
  sweep(): number | undefined {
    const { abandonedAfterMs } = this.#options;
    const since = Date.now() - abandonedAfterMs;
    for (const { id } of this.#exec('SELECT * FROM lumenize_uploads WHERE file IS NULL AND at <= ?', since)) {
      this.#drop(id);
    }
    const [{ at }] = this.#exec<{ at: number | null }>('SELECT min(at) AS at FROM lumenize_uploads WHERE file IS NULL');
    return at === null ? undefined : at + abandonedAfterMs;
  }

  /** @internal */
  begin(owner: string, given: unknown): Begun {
    const { name, type, size, sha256, by, key } = checkedDescription(given, this.#options);
    this.sweep();
    const [known] = this.#exec('SELECT * FROM lumenize_uploads WHERE owner = ? AND key = ?', owner, key);
    if (known === undefined) {
      this.#requireRoom(size);
      const insert = `INSERT INTO lumenize_uploads (owner, key, name, type, size, sha256, by, at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`;
      const [{ id }] = this.#exec(insert, owner, key, name, type, size, sha256, by, Date.now());
      return { upload: id, received: 0 };
    }
    const { id, file } = known;
    if (file !== null) return { upload: id, received: size, file: fileOf(known) };
    this.#exec('UPDATE lumenize_uploads SET by = ?, at = ? WHERE id = ?', by, Date.now(), id);
    return { upload: id, received: this.#received(known) };
  }

  /** @internal */
  write(owner: string, upload: number, offset: number, bytes: Uint8Array): number {
    const row = this.#unfinished(owner, upload);
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
    const row = this.#unfinished(owner, upload);
    if (row === undefined || this.#received(row) < row.size) return this.#finished(owner, upload);
    const { size, sha256 } = row;
    const digest = new crypto.DigestStream('SHA-256');
    const writer = digest.getWriter();
    for (let at = 0; at * PART_BYTES < size; at++) {
      const part = this.#part(upload, at);
      if (part === undefined) return undefined; // it was cancelled meanwhile
      await writer.write(part);
    }
    await writer.close();
    const found = hexOf(new Uint8Array(await digest.digest));
    if (this.#unfinished(owner, upload) === undefined) return this.#finished(owner, upload);
    if (found !== sha256) {
      this.#drop(upload);
      throw new RpcError('INVALID_ARGUMENTS', 'the bytes have another checksum: did the file change?');
    }
    return this.#storage.transactionSync(() => {
      this.#exec('UPDATE lumenize_uploads SET file = ? WHERE id = ?', crypto.randomUUID(), upload);
      const file = this.#finished(owner, upload)!;
      this.#options.onFinish?.(file, owner);
      return file;
    });
  }

  /** @internal */
  cancel(owner: string, given: unknown): void {
    const { key, by } = checkedDescription(given, this.#options);
    const [row] = this.#exec('SELECT * FROM lumenize_uploads WHERE owner = ? AND key = ?', owner, key);
    // A file that an earlier call has finished may be in use.
    if (row !== undefined && (row.file === null || row.by === by)) this.#drop(row.id);
  }

  #requireRoom(bytes: number): void {
    const { maxTotalBytes, maxFiles } = this.#options;
    const count = 'SELECT count(*) AS files, ifnull(sum(size), 0) AS bytes FROM lumenize_uploads';
    const [used] = this.#exec<{ files: number; bytes: number }>(count);
    if (used.bytes + bytes > maxTotalBytes) {
      throw new RpcError('LIMIT_EXCEEDED', `maxTotalBytes: all files together have at most ${maxTotalBytes} bytes`);
    }
    if (used.files >= maxFiles) throw new RpcError('LIMIT_EXCEEDED', `maxFiles: there are at most ${maxFiles} files`);
  }

  #unfinished(owner: string, upload: number): Row | undefined {
    return this.#exec('SELECT * FROM lumenize_uploads WHERE id = ? AND owner = ? AND file IS NULL', upload, owner)[0];
  }

  #finished(owner: string, upload: number): UploadedFile | undefined {
    const query = 'SELECT * FROM lumenize_uploads WHERE id = ? AND owner = ? AND file IS NOT NULL';
    return this.#exec(query, upload, owner).map(fileOf)[0];
  }

  /** Returns the number of bytes that are stored of an upload: its parts come in order. */
  #received({ id, size }: Row): number {
    const last = 'SELECT max(id) AS last FROM lumenize_upload_parts WHERE id >= ? AND id < ?';
    const [{ last: part }] = this.#exec<{ last: number | null }>(last, id * PARTS, (id + 1) * PARTS);
    return part === null ? 0 : Math.min((part - id * PARTS + 1) * PART_BYTES, size);
  }

  #part(upload: number, part: number): Uint8Array | undefined {
    const query = 'SELECT bytes FROM lumenize_upload_parts WHERE id = ?';
    const [row] = this.#exec<{ bytes: ArrayBuffer }>(query, upload * PARTS + part);
    return row && new Uint8Array(row.bytes);
  }

  #drop(upload: number): void {
    this.#exec('DELETE FROM lumenize_uploads WHERE id = ?', upload);
    this.#exec('DELETE FROM lumenize_upload_parts WHERE id >= ? AND id < ?', upload * PARTS, (upload + 1) * PARTS);
  }

  #exec<Result extends Record<string, SqlStorageValue> = Row>(query: string, ...values: SqlStorageValue[]): Result[] {
    const { sql } = this.#storage;
    try {
      return sql.exec<Result>(query, ...values).toArray();
    } catch (error) {
      // The tables are made when a statement finds them missing, since `deleteAll` removes them.
      if (!(error as Error).message.includes('no such table')) throw error;
      for (const table of TABLES) sql.exec(table);
      return sql.exec<Result>(query, ...values).toArray();
    }
  }
}

function fileOf({ id, file, name, type, size, sha256 }: Row): UploadedFile {
  return { id: `${id}.${file}`, name, type, size, sha256 };
}
