import { describeFrame, formatFrame } from '@lumenize/rpc/inspect';
import { expect, test } from 'vitest';
import { bytesOf } from '../src/protocol/message.ts';
import { goldenFrames } from './support/all-golden-frames.ts';

const frames = goldenFrames();

test('every golden frame is described, in words that a person understands', async () => {
  expect(frames.length).toBeGreaterThan(70);
  const described = frames.map(({ name, direction, message }) => {
    return `${name}\n${direction} ${formatFrame(describeFrame(message, direction))}\n`;
  });
  await expect(described.join('\n')).toMatchFileSnapshot('support/golden-descriptions.txt');
});

test('of golden frames only those are unreadable whose errors are cut short', () => {
  const unreadable = frames.filter(({ message, direction }) => describeFrame(message, direction).kind === 'unreadable');
  expect(unreadable.map(({ name, direction }) => `${direction} ${name}`)).toEqual([
    'down a path',
    'down a method that is not there',
  ]);
});

test('a frame that was damaged is described too, whatever the damage', () => {
  let unreadable = 0;
  for (const { message } of frames) {
    const bytes = bytesOf(message);
    for (let place = 0; place < bytes.length; place++) {
      const changed = bytes.slice();
      changed[place] ^= 0x15;
      for (const damaged of [bytes.subarray(0, place), changed]) {
        for (const direction of ['up', 'down'] as const) {
          const description = describeFrame(damaged, direction);
          expect(description.size).toBe(damaged.length);
          expect(formatFrame(description)).toContain(`${description.kind}, ${damaged.length} bytes`);
          if (description.kind === 'unreadable') unreadable++;
        }
      }
    }
  }
  expect(unreadable).toBeGreaterThan(1000);
});
