import type { RpcError } from '@lumenize/rpc';
import { afterEach, beforeEach, vi } from 'vitest';

/** What clients of a probed transport call. */
export interface PingApi {
  ping(text?: string): string;
}

/** Has time pass in the tests of a file when they say so, and every wait between attempts be the longest. */
export function pinTime(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(1);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

/** Lets the jobs of this turn run, timers aside. */
export const settle = () => vi.advanceTimersByTimeAsync(0);

/** The frame that answers a call. */
export const result = (id: number, value: unknown) => JSON.stringify([-id, value]);

/** What a call returned, as text, or the code that it rejected with. */
export const codeOf = (call: PromiseLike<unknown>) => call.then(String, (error: RpcError) => error.code);
