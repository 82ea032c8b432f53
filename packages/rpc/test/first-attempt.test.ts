import { type ConnectOptions, connectOver } from '@lumenize/rpc';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type PingApi, pinTime, settle } from './support/probed-client.ts';
import { probedTransport } from './support/probed-transport.ts';

// Who has mistyped a URL is told at once, and not when calls have waited for too long.

pinTime();

const warn = vi.fn();
beforeEach(() => {
  warn.mockReset();
  vi.spyOn(console, 'warn').mockImplementation(warn);
});
afterEach(() => {
  vi.restoreAllMocks();
});

function setup(options: ConnectOptions = {}) {
  const { open, attempts } = probedTransport();
  const stub = connectOver<PingApi>(open, 'ws://localhost:8787/api/counter/main', { eager: true, ...options });
  stub.ping();
  const last = () => attempts.at(-1)!;
  const fail = async () => {
    last().closed(1006, '');
    await vi.advanceTimersByTimeAsync(1000);
  };
  return { attempts, last, fail };
}

describe('a first attempt', () => {
  test('that fails is told of once: where it led, and that calls wait', async () => {
    const { attempts, fail } = setup();
    for (let attempt = 0; attempt < 3; attempt++) await fail();
    expect(attempts.length).toBe(4);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0][0]).toMatch(
      /^ws:\/\/localhost:8787\/api\/counter\/main cannot be reached: .*: trying again; calls wait for 10000 ms \(maxWaitMs\)$/,
    );
  });

  test('that fails later than there was a connection is of no news', async () => {
    const { last, fail } = setup();
    last().opened();
    await fail();
    await fail();
    expect(warn).not.toHaveBeenCalled();
  });

  test.each<[string, ConnectOptions, (last: () => ReturnType<typeof probedTransport>['attempts'][0]) => void]>([
    ['who is told of states', { onStateChange: () => {} }, (last) => last().closed(1006, '')],
    ['whose calls reject at once', { maxWaitMs: 0 }, (last) => last().closed(1006, '')],
    ['who does not try again', { reconnect: false }, (last) => last().closed(1006, '')],
    ['whom the server has refused', {}, (last) => last().closed(4403, 'DENIED: not you')],
  ])('is no news to one %s', async (_who, options, lose) => {
    const { last } = setup(options);
    lose(last);
    await settle();
    expect(warn).not.toHaveBeenCalled();
  });
});
