import { expect, it, onTestFinished, vi } from 'vitest';
import { countFrames } from '../src/blocks/frame-counter.ts';
import { SUBJECTS } from '../src/subjects/all.ts';
import { armsOf } from '../src/subjects/arms.ts';
import { Unavailable } from '../src/subjects/subject.ts';

const PLAN = { scenario: 'getValue/sequential', arms: armsOf('raw'), rounds: 1 };

it.each([
  ['leaves out what a subject cannot do this time', new Unavailable('its flow control waits for ever'), []],
  ['fails with anything else', new Error('7 instead of 8'), 'getValue/sequential, raw: Error: 7 instead of 8'],
])('countFrames %s', async (_, error, outcome) => {
  const platform = globalThis.WebSocket;
  vi.spyOn(SUBJECTS.raw, 'connect').mockRejectedValue(error);
  onTestFinished(() => void vi.restoreAllMocks());
  const counted = countFrames('http://127.0.0.1:1', [PLAN], () => 'an-object').catch(({ message }: Error) => message);
  expect(await counted).toEqual(outcome);
  expect(globalThis.WebSocket).toBe(platform);
});
