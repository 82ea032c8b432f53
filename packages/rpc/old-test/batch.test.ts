import { readFileSync } from 'node:fs';
import { fromMessage } from '@lumenize/structured-clone/messages';
import { describe, expect, test } from 'vitest';
import { type Batch, readBatch, writeBatch } from '../src/protocol/http.ts';
import { readBody } from '../src/server/http-batch.ts';
import { bytes } from './support/hex.ts';

/** Batches and their bytes, as docs/protocol.md shows them. */
const GOLDEN: readonly (readonly [name: string, batch: Batch, hex: string])[] = [
  ['a frame', { frames: [bytes('0183')] }, '00000002 0183'],
  ['two frames', { frames: [bytes('0183'), bytes('02')] }, '00000002 0183 00000001 02'],
  ['no frame', { frames: [] }, ''],
  [
    'a frame and a close',
    { frames: [bytes('0183')], close: { code: 1007, reason: 'no' } },
    '00000002 0183 00000000 31303037206e6f',
  ],
  ['a frame of text', { frames: ['["é"]'] }, '00000006 5b22c3a9225d'],
  ['text beside bytes', { frames: [bytes('02'), '[]', bytes('0183')] }, '00000001 02 00000002 5b5d 00000002 0183'],
];

describe('a batch', () => {
  test.each(GOLDEN)('of %s is these bytes', (_name, batch, hex) => {
    expect(writeBatch(batch)).toEqual(bytes(hex));
    expect(readBatch(bytes(hex))).toEqual(batch);
  });

  test('is shown in the protocol as it is', () => {
    const text = readFileSync(new URL('../../../docs/protocol.md', import.meta.url), 'utf8');
    for (const [name, , hex] of [GOLDEN[1], GOLDEN[3]]) expect(text, name).toContain(`\n  ${hex}\n`);
  });

  test.each([
    ['in a length', '0000'],
    ['in a frame', '00000003 0183'],
    ['with a length beyond all bounds', 'ffffffff 0183'],
    ['in a close', '00000000 3130'],
    ['in text', '00000003 5b5d'],
    ['in text beyond all bounds', 'ffffffff 5b5d'],
  ])('that is cut %s is refused', (_where, hex) => {
    expect(() => readBatch(bytes(hex))).toThrow('malformed: a batch');
  });

  test('with text that is not UTF-8 holds a frame that cannot be read', () => {
    const { frames } = readBatch(bytes('00000003 5bff5d'));
    expect(frames).toEqual([bytes('5bff5d')]);
    expect(() => fromMessage(frames[0])).toThrow('malformed: message');
  });
});

describe('the body of a batch', () => {
  /** A request with so many chunks of one byte: always the same chunk, as only who copies it can notice. */
  function request(count: number): Request {
    const chunk = new Uint8Array(1);
    const pull = (controller: ReadableStreamDefaultController) => {
      if (chunk[0] === count) return controller.close();
      chunk[0]++;
      controller.enqueue(chunk);
    };
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    return new Request('http://worker.test', { method: 'POST', body, duplex: 'half' } as RequestInit);
  }

  // Workerd gives each chunk four kilobytes: 30,000 bytes that arrived one by one took all memory of an object.
  test('is copied from its chunks, and not kept as so many', async () => {
    expect(await readBody(request(0) as never, 9)).toEqual(new Uint8Array());
    expect(await readBody(request(9) as never, 9)).toEqual(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9));
    expect(await readBody(request(10) as never, 9)).toBeUndefined();
  });
});
