import { env, runInDurableObject, SELF } from 'cloudflare:test';
import { type ConnectOptions, connection, type Stub } from '@lumenize/rpc';
import { type UploadedFile, upload } from '@lumenize/state/uploads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RoomApi, RoomObject } from './room-object.ts';
import { connectToSelf } from './self-transport.ts';

const { ROOM } = env as unknown as { ROOM: DurableObjectNamespace<RoomObject> };

const PART = 524_288;

let rooms = 0;
const newRoom = () => `files-${rooms++}`;

function enter(room: string, user = 'ada', options?: ConnectOptions): Stub<RoomApi> {
  const stub = connectToSelf<RoomApi>(`/rooms/room/${room}?user=${user}`, {
    reconnect: { minDelayMs: 5, maxDelayMs: 20 },
    ...options,
  });
  onTestFinished(() => connection(stub).close());
  return stub;
}

function inRoom<Result>(room: string, job: (object: RoomObject) => Result): Promise<Result> {
  return runInDurableObject(ROOM.getByName(room), (object) => job(object));
}

/** The rows of all uploads, and of their parts. */
const rows = (room: string) => inRoom(room, (object) => object.fileRows());

/** Bytes that are different at each place. */
function bytesOf(size: number, seed = 1): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(size / 4));
  for (let at = 0, word = seed; at < words.length; at++) {
    word = (Math.imul(word, 1_664_525) + 1_013_904_223) >>> 0;
    words[at] = word;
  }
  return new Uint8Array(words.buffer, 0, size);
}

const fileOf = (bytes: Uint8Array<ArrayBuffer>, name = 'a file', type = 'image/png') =>
  new File([bytes], name, { type });

async function hexDigest(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function get(
  room: string,
  { id }: { id: string },
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Response> {
  return SELF.fetch(`http://worker.test/rooms/room/${room}/files/${id}`, { headers, method });
}

/** The target of uploads as anybody can call it. */
type Calls = Record<string, (...args: unknown[]) => Promise<unknown>>;
const callsOf = (stub: Stub<RoomApi>) => (stub as unknown as { files: Calls }).files;

const described = (change: object = {}) => ({
  name: 'a',
  type: '',
  size: 3,
  sha256: new Uint8Array(32),
  key: '',
  by: 'me',
  ...change,
});

describe('upload()', () => {
  test.each([0, 1, PART - 1, PART, PART + 1, 3 * PART, 3_900_000])('stores a file of %i bytes', async (size) => {
    const room = newRoom();
    const bytes = bytesOf(size);
    const progress: number[] = [];
    const file = await upload(enter(room).files, fileOf(bytes), {
      onProgress: (stored, all) => {
        expect(all).toBe(size);
        progress.push(stored);
      },
    });
    expect(file).toEqual({ id: file.id, name: 'a file', type: 'image/png', size, sha256: await hexDigest(bytes) });
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(size);
    expect(progress.length).toBe(Math.ceil(size / PART) + 1);
    expect(new Uint8Array(await (await get(room, file)).arrayBuffer())).toEqual(bytes);
    expect(await inRoom(room, ({ finished, files }) => [finished, files.files('ada'), files.get(file.id)])).toEqual([
      ['ada: a file'],
      [file],
      file,
    ]);
  });

  test('stores the same file of an owner once, and that of another owner, name or key by itself', async () => {
    const room = newRoom();
    const bytes = bytesOf(10);
    const { files } = enter(room);
    const file = await upload(files, fileOf(bytes));
    expect(await upload(files, fileOf(bytes))).toEqual(file);
    expect(await upload(enter(room).files, fileOf(bytes))).toEqual(file);
    const others = [
      await upload(enter(room, 'bob').files, fileOf(bytes)),
      await upload(files, fileOf(bytes, 'another name')),
      await upload(files, fileOf(bytes, 'a file', 'image/gif')),
      await upload(files, fileOf(bytes), { key: 'another' }),
      await upload(files, fileOf(bytesOf(10, 2))),
    ];
    expect(new Set([file, ...others].map(({ id }) => id)).size).toBe(6);
    expect(await rows(room)).toEqual([6, 6]);
  });

  test('goes on where it was, over lost connections', async () => {
    const room = newRoom();
    const bytes = bytesOf(3_900_000);
    const stub = enter(room);
    const progress: number[] = [];
    const onProgress = (stored: number) => {
      progress.push(stored);
      if (progress.length % 2 === 0 && progress.length < 8) void inRoom(room, (object) => object.closeAll());
    };
    const file = await upload(stub.files, fileOf(bytes), { onProgress });
    expect(connection(stub).statistics.reconnects).toBeGreaterThan(1);
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b));
    expect(new Uint8Array(await (await get(room, file)).arrayBuffer())).toEqual(bytes);
  });

  test('goes on where another client was', async () => {
    const room = newRoom();
    const bytes = bytesOf(3_900_000);
    const first = enter(room);
    const stopped = upload(first.files, fileOf(bytes), {
      onProgress: (stored) => stored >= 3 * PART && connection(first).close(),
    });
    await expect(stopped).rejects.toMatchObject({ code: expect.stringMatching('NOT_EXECUTED|OUTCOME_UNKNOWN') });
    const progress: number[] = [];
    const file = await upload(enter(room).files, fileOf(bytes), { onProgress: (stored) => progress.push(stored) });
    expect(progress[0]).toBeGreaterThanOrEqual(3 * PART);
    expect(await hexDigest(await (await get(room, file)).arrayBuffer())).toBe(file.sha256);
    expect(await rows(room)).toEqual([1, 8]);
  });

  test('begins anew if the object has lost what it had', async () => {
    const room = newRoom();
    const bytes = bytesOf(3_900_000);
    let isWiped = false;
    const progress: number[] = [];
    const file = await upload(enter(room).files, fileOf(bytes), {
      onProgress: (stored) => {
        progress.push(stored);
        if (stored < 2 * PART || isWiped) return;
        isWiped = true;
        void runInDurableObject(ROOM.getByName(room), (_object, { storage }) => storage.deleteAll());
      },
    });
    expect(isWiped).toBe(true);
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b));
    expect(new Uint8Array(await (await get(room, file)).arrayBuffer())).toEqual(bytes);
    expect(await rows(room)).toEqual([1, 8]);
  });

  test.each([0, 1, 3, 7, 8])('leaves nothing when it is cancelled after %i parts', async (parts) => {
    const room = newRoom();
    const controller = new AbortController();
    const reason = new Error('enough');
    const uploading = upload(enter(room).files, fileOf(bytesOf(3_900_000)), {
      signal: controller.signal,
      onProgress: (stored) => stored >= Math.min(parts * PART, 3_900_000) && controller.abort(reason),
    });
    await expect(uploading).rejects.toBe(reason);
    await expect.poll(() => rows(room)).toEqual([0, 0]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await rows(room)).toEqual([0, 0]);
  });

  test('leaves nothing when it is cancelled without a connection', async () => {
    const room = newRoom();
    const controller = new AbortController();
    const reason = new Error('enough');
    const stub = enter(room);
    const uploading = upload(stub.files, fileOf(bytesOf(3_900_000)), {
      signal: controller.signal,
      onProgress: (stored) => {
        if (stored === 2 * PART) void inRoom(room, (object) => object.closeAll());
      },
    });
    connection(stub).onStateChange((state) => state === 'reconnecting' && controller.abort(reason));
    await expect(uploading).rejects.toBe(reason);
    await expect.poll(() => rows(room)).toEqual([0, 0]);
  });

  test('does not begin with a signal that was aborted', async () => {
    const room = newRoom();
    const signal = AbortSignal.abort(new Error('before'));
    await expect(upload(enter(room).files, fileOf(bytesOf(1)), { signal })).rejects.toThrow('before');
    expect(await rows(room)).toEqual([0, 0]);
  });

  test('leaves a file that another call has completed, when it is cancelled', async () => {
    const room = newRoom();
    const stub = enter(room);
    const bytes = bytesOf(3);
    const description = described({ sha256: new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)) });
    const files = callsOf(stub);
    const { upload } = (await files.begin(description)) as { upload: number };
    await files.write(upload, 0, bytes);
    const { id } = (await files.finish(upload)) as UploadedFile;
    expect(await files.begin({ ...description, by: 'another' })).toMatchObject({ file: { id } });
    await files.cancel({ ...description, by: 'another' });
    expect(await rows(room)).toEqual([1, 1]);
    // Its answer may have been lost.
    await files.cancel(description);
    expect(await rows(room)).toEqual([0, 0]);
  });

  test('fails if the bytes are not those of the checksum, and leaves nothing', async () => {
    const room = newRoom();
    const bytes = bytesOf(10);
    const file = fileOf(bytes);
    vi.spyOn(file, 'arrayBuffer').mockResolvedValue(bytesOf(10, 2).buffer);
    await expect(upload(enter(room).files, file)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('checksum'),
    });
    expect(await rows(room)).toEqual([0, 0]);
  });

  test('fails if the application refuses the file', async () => {
    const room = newRoom();
    await expect(upload(enter(room).files, fileOf(bytesOf(10), 'refused'))).rejects.toThrow('no such names');
    expect(await inRoom(room, ({ files, finished }) => [files.files('ada'), finished])).toEqual([[], []]);
  });

  test('of two pages at once gives both the same file', async () => {
    const room = newRoom();
    const bytes = bytesOf(3_900_000);
    const [one, other] = await Promise.all([enter(room), enter(room)].map(({ files }) => upload(files, fileOf(bytes))));
    expect(one).toEqual(other);
    expect(await rows(room)).toEqual([1, 8]);
  });
});

describe('an object with files', () => {
  test.each([
    ['a file that is too large', { size: 4_000_001 }, 'TOO_LARGE'],
    ['a negative size', { size: -1 }, 'INVALID_ARGUMENTS'],
    ['half a byte', { size: 0.5 }, 'INVALID_ARGUMENTS'],
    ['a checksum of another kind', { sha256: new Uint8Array(20) }, 'INVALID_ARGUMENTS'],
    ['a name that is no text', { name: 7 }, 'INVALID_ARGUMENTS'],
    ['a long name', { name: 'x'.repeat(1001) }, 'INVALID_ARGUMENTS'],
    ['a type that is none', { type: 'text/plain\r\nSet-Cookie: a=b' }, 'INVALID_ARGUMENTS'],
  ])('refuses %s', async (_what, change, code) => {
    const room = newRoom();
    await expect(callsOf(enter(room)).begin(described(change))).rejects.toMatchObject({ code });
    expect(await rows(room)).toEqual([0, 0]);
  });

  test('refuses what is no description', async () => {
    for (const given of [undefined, null, 7, 'text']) {
      await expect(callsOf(enter(newRoom())).begin(given)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    }
  });

  test('accepts files of some types only', async () => {
    const { files } = enter('images');
    const send = (type: string) => upload(files, fileOf(bytesOf(1), 'a', type));
    for (const type of ['image/png', 'image/svg+xml', 'application/pdf']) await send(type);
    for (const type of ['text/html', '', 'application/pdfx', 'images/png']) {
      await expect(send(type)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    }
  });

  test('has room for so many bytes and files', async () => {
    const room = newRoom();
    const { files } = enter(room);
    const file = await upload(files, fileOf(bytesOf(3_900_000)));
    await expect(upload(files, fileOf(bytesOf(2_200_000)))).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(await inRoom(room, (object) => object.files.delete(file.id))).toBe(true);
    expect(await inRoom(room, (object) => object.files.delete(file.id))).toBe(false);
    expect(await rows(room)).toEqual([0, 0]);
    await upload(files, fileOf(bytesOf(2_200_000)));
    for (let n = 1; n < 20; n++) await upload(files, fileOf(bytesOf(1), `file ${n}`));
    await expect(upload(files, fileOf(bytesOf(1), 'one more'))).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  test('takes parts in order, each once, and only from their owner', async () => {
    const room = newRoom();
    const files = callsOf(enter(room));
    const { upload } = (await files.begin(described({ size: PART + 3 }))) as { upload: number };
    const part = bytesOf(PART);
    expect(await files.write(upload, PART, bytesOf(3))).toBe(0);
    await expect(files.write(upload, 0, bytesOf(3))).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(files.write(upload, 0, 'text')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(await callsOf(enter(room, 'bob')).write(upload, 0, part)).toBe(-1);
    expect(await files.write(upload, 0, part)).toBe(PART);
    expect(await files.write(upload, 0, part)).toBe(PART);
    expect(await files.finish(upload)).toBeUndefined();
    expect(await callsOf(enter(room, 'bob')).finish(upload)).toBeUndefined();
    expect(await files.write(upload, PART, bytesOf(3))).toBe(PART + 3);
    expect(await files.write(upload, PART + 3, new Uint8Array())).toBe(PART + 3);
    expect(await rows(room)).toEqual([1, 2]);
    for (const none of [undefined, null, {}, 'x', Number.NaN, -1, 2 ** 60]) {
      expect(await files.write(none, 0, part)).toBe(-1);
      expect(await files.finish(none)).toBeUndefined();
    }
    for (const offset of [undefined, 'x', -PART, 1, Number.NaN]) {
      expect(await files.write(upload, offset, part)).toBe(PART + 3);
    }
    // A late part of an upload that is gone is no part of a later one.
    await files.cancel(described({ size: PART + 3 }));
    expect(await files.write(upload, 0, part)).toBe(-1);
    const later = (await files.begin(described({ size: PART + 3 }))) as { upload: number };
    expect(later.upload).not.toBe(upload);
  });

  test('deletes uploads that were given up, when another one begins or somebody asks', async () => {
    const room = 'impatient';
    const files = callsOf(enter(room));
    await files.begin(described());
    expect(await inRoom(room, (object) => object.files.sweep())).toBeGreaterThan(Date.now());
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await files.begin(described({ name: 'b' }));
    expect(await rows(room)).toEqual([1, 0]);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await inRoom(room, (object) => object.files.sweep())).toBeUndefined();
    expect(await rows(room)).toEqual([0, 0]);
  });
});

describe('the URL of a file', () => {
  let file: UploadedFile;
  const bytes = bytesOf(PART + 1000);

  async function stored(): Promise<UploadedFile> {
    file ??= await upload(enter('served').files, fileOf(bytes, 'größe "1".png'));
    return file;
  }

  test('has all of its bytes', async () => {
    const response = await get('served', await stored());
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'content-disposition': "inline; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%221%22.png",
      'content-length': `${bytes.length}`,
      'content-type': 'image/png',
      etag: `"${file.sha256}"`,
      'x-content-type-options': 'nosniff',
    });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
  });

  test.each([
    ['bytes=0-0', 0, 1],
    ['bytes=5-9', 5, 10],
    [`bytes=${PART - 2}-${PART + 1}`, PART - 2, PART + 2],
    [`bytes=${PART}-`, PART, PART + 1000],
    ['bytes=-10', PART + 990, PART + 1000],
    ['bytes=-9999999', 0, PART + 1000],
    ['bytes=1-9999999', 1, PART + 1000],
  ])('answers %s', async (range, first, end) => {
    const response = await get('served', await stored(), { Range: range });
    expect(response.status).toBe(206);
    expect(response.headers.get('Content-Range')).toBe(`bytes ${first}-${end - 1}/${bytes.length}`);
    expect(response.headers.get('Content-Length')).toBe(`${end - first}`);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes.slice(first, end));
  });

  test.each([['bytes=9999999-'], ['bytes=-0'], ['bytes=5-4'], [`bytes=${PART + 1000}-${PART + 1001}`]])(
    'has no bytes for %s',
    async (range) => {
      const response = await get('served', await stored(), { Range: range });
      expect(response.status).toBe(416);
      expect(response.headers.get('Content-Range')).toBe(`bytes */${bytes.length}`);
    },
  );

  test.each([
    [{ Range: 'bytes=0-1,3-4' }],
    [{ Range: 'bytes=-' }],
    [{ Range: 'lines=1-2' }],
    [{ Range: 'bytes=0-1', 'If-Range': '"another"' }],
  ])('has all of its bytes for %o', async (headers) => {
    const response = await get('served', await stored(), headers as Record<string, string>);
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBe(bytes.length);
  });

  test('answers HEAD, what a cache asks, and nothing else', async () => {
    const { sha256 } = await stored();
    const head = await get('served', file, { Range: 'bytes=0-1' }, 'HEAD');
    expect([head.status, head.headers.get('Content-Length'), await head.text()]).toEqual([200, `${bytes.length}`, '']);
    expect((await get('served', file, { 'If-None-Match': `W/"x", "${sha256}"` })).status).toBe(304);
    expect((await get('served', file, { 'If-None-Match': '"x"' })).status).toBe(200);
    const same = { Range: 'bytes=0-1', 'If-Range': `"${sha256}"` };
    expect((await get('served', file, same)).status).toBe(206);
    expect((await get('served', file, {}, 'POST')).status).toBe(405);
  });

  test('is known to nobody who was not told', async () => {
    const { id } = await stored();
    for (const other of ['1', '1.', '1.null', `2.${id.split('.')[1]}`, `${id}x`, 'x', '%00']) {
      expect([other, (await get('served', { id: other })).status]).toEqual([other, 404]);
    }
  });

  test.each([
    ['text/html', 'attachment'],
    ['image/svg+xml', 'attachment'],
    ['', 'attachment'],
    ['video/mp4', 'inline'],
  ])('of the type "%s" is shown as %s', async (type, shown) => {
    const room = newRoom();
    const { headers } = await get(room, await upload(enter(room).files, fileOf(bytesOf(1), 'a', type)));
    expect(headers.get('Content-Disposition')).toMatch(new RegExp(`^${shown};`));
    expect(headers.get('Content-Type')).toBe(type || 'application/octet-stream');
    expect(headers.get('Content-Security-Policy')).toContain('sandbox');
  });
});
