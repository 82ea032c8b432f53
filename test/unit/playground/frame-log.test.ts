import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { expect, test } from 'vitest';
import { FrameLog, MAX_FRAME_BYTES, MAX_FRAMES } from '../../../examples/playground/page/inspector/frame-log.ts';
import { matches, rowsOf } from '../../../examples/playground/page/inspector/rows.ts';

class Adder extends RpcTarget {
  add(a: number, b: number): number {
    return a + b;
  }
}

const frame = (bytes: number, timeMs = 0) => ({
  direction: 'up' as const,
  message: new Uint8Array(bytes),
  timeMs,
  connection: 1,
});

const kept = async (log: FrameLog, at: number) => {
  await expect.poll(() => log.frames.value.at(-1)?.number).toBe(at);
  return log.frames.value;
};

test('the log keeps the newest frames, and no more than there is room for', async () => {
  const log = new FrameLog();
  for (let i = 0; i < MAX_FRAMES + 10; i++) log.add('a', frame(1));
  const many = await kept(log, MAX_FRAMES + 10);
  expect(many).toHaveLength(MAX_FRAMES);
  expect(many[0].number).toBe(11);
  for (let i = 0; i < 40; i++) log.add('a', frame(MAX_FRAME_BYTES));
  const large = await kept(log, MAX_FRAMES + 50);
  expect(large.reduce((sum, { message }) => sum + message!.length, 0)).toBeLessThanOrEqual(4 * 2 ** 20);
  log.clear();
  expect(log.frames.value).toEqual([]);
});

test('of a frame that is too large only its size is kept', async () => {
  const log = new FrameLog();
  log.add('a', frame(MAX_FRAME_BYTES + 1));
  const [{ size, message }] = await kept(log, 1);
  expect([size, message]).toEqual([MAX_FRAME_BYTES + 1, undefined]);
  expect(rowsOf(log.frames.value)).toMatchObject([{ kind: 'too large', lines: [expect.stringContaining('256 KiB')] }]);
});

test('frames are described, the newest first, with the time since what they answer was asked', async () => {
  const log = new FrameLog();
  using stub = connectInMemory<Adder>(new Adder(), { wrapTransport: log.recorder('adder/main') });
  await Promise.all([stub.add(1, 2), stub.add(3, 4)]);
  const rows = rowsOf(await kept(log, 2));
  expect(rows.map(({ kind }) => kind)).toEqual(['answers', 'calls']);
  expect(rows[0].lines).toEqual(['1 = 3', '2 = 7']);
  expect(rows[1].lines.join()).toContain('add(1, 2)');
  expect(rows[0].tookMs).toBe(rows[0].frame.timeMs - rows[1].frame.timeMs);
  expect(rows[1].tookMs).toBeUndefined();
  const shown = (text: string, direction: '' | 'up' | 'down' = '', connection = '') =>
    rows.filter((row) => matches(row, { text, direction, connection })).map(({ kind }) => kind);
  expect(shown('ADD(3')).toEqual(['calls']);
  expect(shown('', 'down')).toEqual(['answers']);
  expect(shown('adder', '', 'adder/main')).toHaveLength(2);
  expect(shown('', '', 'other')).toEqual([]);
});
