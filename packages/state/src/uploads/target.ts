import { RpcTarget } from '@lumenize/rpc/server';
import type { Uploads } from './uploads.ts';
import type { Begun, Description, UploadedFile } from './wire.ts';

/** What clients call to upload files. `upload` of `@lumenize/state/uploads` does. */
export class UploadTarget extends RpcTarget {
  /** Options of the methods: each can run again. */
  static readonly rpc = {
    begin: { idempotent: true },
    write: { idempotent: true },
    finish: { idempotent: true },
    cancel: { idempotent: true },
  };
  readonly #uploads: Uploads;
  readonly #owner: string;

  /** @internal */
  constructor(uploads: Uploads, owner: string) {
    super();
    this.#uploads = uploads;
    this.#owner = owner;
  }

  /** Begins an upload, or goes on with it. */
  begin(description: Description): Begun {
    return this.#uploads.begin(this.#owner, description);
  }

  /**
   * Stores the part of a file at an offset, once, and returns the number of bytes that are stored: fewer than up to the
   * end of the part if an earlier one is missing, -1 if there is no such upload.
   */
  write(upload: number, offset: number, bytes: Uint8Array): number {
    return this.#uploads.write(this.#owner, upload, offset, bytes);
  }

  /** Compares the bytes with their checksum, and returns the file; undefined if bytes are missing. */
  finish(upload: number): Promise<UploadedFile | undefined> {
    return this.#uploads.finish(this.#owner, upload);
  }

  /** Deletes all that is stored of an upload, unless another call has finished it. */
  cancel(description: Description): void {
    this.#uploads.cancel(this.#owner, description);
  }
}
