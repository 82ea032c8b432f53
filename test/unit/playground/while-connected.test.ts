import type { ConnectionState } from '@lumenize/rpc';
import { signal } from '@preact/signals';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { whileConnected } from '../../../examples/playground/page/connection/while-connected.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('what fails at once, such as for want of a part of the page, is begun again ever more seldom', async () => {
  const state = signal<ConnectionState>('idle');
  let begun = 0;
  const over = whileConnected(state, async () => {
    begun++;
    if (begun > 100) state.value = 'closed';
    throw new Error('a part could not be loaded');
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(begun).toBe(11);
  state.value = 'closed';
  await vi.advanceTimersByTimeAsync(10_000);
  await over;
});
