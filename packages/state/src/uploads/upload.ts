import { connection, type Remote, withOptions } from '@lumenize/rpc';
import { waitAfter } from '../retry.ts';
import type { UploadTarget } from './target.ts';
import { type Begun, type Description, PART_BYTES, type UploadedFile } from './wire.ts';

/** Options of an upload. */
export interface UploadOptions {
  /** Cancels the upload, also in the object: nothing stays of it. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes that are stored, which never becomes less, and with all that there are. */
  readonly onProgress?: ((stored: number, size: number) => void) | undefined;
  /** Tells uploads of the same file apart, which otherwise are one, with one file. @default '' */
  readonly key?: string;
}

/** The target as a client calls it. */
interface Api {
  begin(description: Description): Promise<Begun>;
  write(upload: number, offset: number, bytes: Uint8Array): Promise<number>;
  finish(upload: number): Promise<UploadedFile | undefined>;
  cancel(description: Description): Promise<void>;
}

/** Parts that are under way at once: enough for a fast connection, and few enough for other calls in between. */
const MOST_PARTS = 4;

/**
 * Uploads a file, and returns it as it is stored. `stub` is the member of your target that has what `for()` of the
 * object's uploads returned. The upload goes on over lost connections, and where it was if the same file is uploaded
 * again, such as after a page was reloaded. The file is read twice: for its checksum, which needs all of it in memory for
 * a moment, and in parts.
 * @throws the reason of the signal, an `RpcError` if the object refuses the file, or an error of reading it
 */
export async function upload(
  stub: Remote<UploadTarget> & object,
  file: Blob & { readonly name?: string },
  { signal, onProgress, key = '' }: UploadOptions = {},
): Promise<UploadedFile> {
  const { name = '', type, size } = file;
  const api = withOptions(stub, { signal }) as unknown as Api;
  const its = connection(stub);
  let stored = -1;
  const note = (bytes: number) => {
    if (bytes <= stored) return;
    stored = bytes;
    onProgress?.(stored, size);
  };
  signal?.throwIfAborted();
  const sha256 = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  const description: Description = { name, type, size, sha256, key, by: crypto.randomUUID() };

  /** Sends what the object does not have. Returns undefined if it has less than it had: then it is asked anew. */
  const send = async (): Promise<UploadedFile | undefined> => {
    const { upload, received, file: done } = await api.begin(description);
    const underWay = new Set<Promise<void>>();
    let failure: { readonly error?: unknown } | undefined;
    note(received);
    for (let at = received; at < size && failure === undefined; at += PART_BYTES) {
      const bytes = new Uint8Array(await file.slice(at, at + PART_BYTES).arrayBuffer());
      const end = at + bytes.length;
      const writing = api
        .write(upload, at, bytes)
        .then(
          (received) => {
            if (received < end) failure ??= {};
            else note(received);
          },
          (error) => {
            failure ??= { error };
          },
        )
        .then(() => void underWay.delete(writing));
      underWay.add(writing);
      if (underWay.size === MOST_PARTS) await Promise.race(underWay);
    }
    await Promise.all(underWay);
    if (failure !== undefined && 'error' in failure) throw failure.error;
    return failure ? undefined : (done ?? api.finish(upload));
  };
  /** Repeats a job as long as connections are lost, or the object has too much to do. */
  const untilDone = async <Result>(job: () => Promise<Result | undefined>): Promise<Result> => {
    for (;;) {
      let failure: unknown;
      try {
        const result = await job();
        if (result !== undefined) return result;
      } catch (error) {
        if (its.state === 'closed') throw error;
        failure = error;
      }
      await waitAfter(failure);
    }
  };
  try {
    return await untilDone(send);
  } catch (error) {
    if (!signal?.aborted) throw error;
    const cancel = async () => {
      await (stub as unknown as Api).cancel(description);
      return true;
    };
    // Nobody waits for it, and a connection that is closed has nothing more to cancel.
    untilDone(cancel).catch(() => {});
    throw signal.reason;
  }
}
