import { afterEach, describe, expect, it, vi } from 'vitest';
import { countFrames } from '../src/blocks/frame-counter.ts';
import { SUBJECTS } from '../src/subjects/all.ts';
import { Unavailable } from '../src/subjects/subject.ts';

const PLAN = {
  scenario: 'getValue/sequential',
  arms: [{ id: 'raw', subject: 'raw' }],
  rounds: 1,
  mirrored: false,
} as const;

/** Counts with a subject that fails to connect. */
const countWith = (error: Error) => {
  vi.spyOn(SUBJECTS.raw, 'connect').mockRejectedValue(error);
  return countFrames('http://127.0.0.1:1', [PLAN], () => 'an-object');
};

afterEach(() => vi.restoreAllMocks());

describe('countFrames', () => {
  it('leaves out what a subject cannot do this time', async () => {
    const platform = globalThis.WebSocket;
    expect(await countWith(new Unavailable('its flow control waits for ever'))).toEqual([]);
    expect(globalThis.WebSocket).toBe(platform);
  });

  it('fails with anything else', async () => {
    const platform = globalThis.WebSocket;
    await expect(countWith(new Error('7 instead of 8'))).rejects.toThrow('7 instead of 8');
    expect(globalThis.WebSocket).toBe(platform);
  });
});
