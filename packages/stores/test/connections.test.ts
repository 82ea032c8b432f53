import { connection } from '@lumenize/rpc';
import { describe, expect, test, vi } from 'vitest';
import { connectionKey, sharedConnection, stubStore } from '../src/connections.ts';

const url = 'ws://localhost:1/rpc/room/main';

describe('what a connection is asked for with', () => {
  test('is the same for the same URL and data, whatever functions there are', () => {
    const key = connectionKey(url, { maxWaitMs: 1, reconnect: false, onStateChange: () => {} });
    expect(connectionKey('http://localhost:1/rpc/room/main', { reconnect: false, maxWaitMs: 1, eager: true })).toBe(
      key,
    );
    expect(connectionKey(new URL(url), { reconnect: false, maxWaitMs: 1, onError: () => {}, limits: undefined })).toBe(
      key,
    );
    expect(connectionKey(url, { token: () => 'a' })).toBe(connectionKey(url, { token: () => 'b' }));
  });

  test('is another one for another URL, other data, or another token', () => {
    const keys = [
      connectionKey(url, {}),
      connectionKey(`${url}2`, {}),
      connectionKey(url, { maxWaitMs: 1 }),
      connectionKey(url, { reconnect: { minDelayMs: 5 } }),
      connectionKey(url, { token: 'a' }),
      connectionKey(url, { token: 'b' }),
      connectionKey(url, { token: () => 'a' }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  test.each([
    ['with a base', { baseURI: 'http://localhost:1/rpc/room/page' }, 'http://elsewhere/'],
    ['in srcdoc', { baseURI: 'http://localhost:1/rpc/room/' }, 'about:srcdoc'],
    ['without a base', {}, 'http://localhost:1/rpc/room/'],
    ['without a document', undefined, 'http://localhost:1/rpc/room/'],
  ])('is the same for a URL that is relative to the page, %s', (_what, document, href) => {
    vi.stubGlobal('document', document);
    vi.stubGlobal('location', { href });
    const keys = ['main', '/rpc/room/main', '../room/main#part'].map((relative) => connectionKey(relative, {}));
    vi.unstubAllGlobals();
    expect(keys).toEqual(Array(3).fill(connectionKey(url, {})));
  });

  test('is refused where it is no URL', () => {
    expect(() => connectionKey('/rpc/room/main', {})).toThrow(/connect\(\) needs a URL/);
  });
});

describe('a shared connection', () => {
  test('asks the newest component for a token, and tells all of its state', async () => {
    const asked: string[] = [];
    const optionsOf = (name: string) => ({
      // Nobody listens there.
      reconnect: false,
      token: () => {
        asked.push(name);
        return name;
      },
      onStateChange: vi.fn(),
    });
    const first = { options: optionsOf('first') };
    const second = { options: optionsOf('before') };
    const key = connectionKey(url, first.options);
    const shared = sharedConnection(key, url, first.options);
    expect(sharedConnection(key, url, second.options)).toBe(shared);
    const releases = [shared.retain(first), shared.retain(second)];
    second.options = optionsOf('second');
    await expect((shared.stub as { title(): Promise<string> }).title()).rejects.toMatchObject({ code: 'NOT_EXECUTED' });
    expect(asked).toEqual(['second']);
    for (const { options } of [first, second])
      expect(options.onStateChange).toHaveBeenCalledWith('connecting', undefined);
    for (const release of releases) release();
  });

  // As in Vue, where the setup of a component may be asynchronous: it keeps the stub that it has been given.
  test('is kept for a component that renders just after the last one, and is mounted later', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('window', globalThis);
    try {
      const options = { maxWaitMs: 3 };
      const before = stubStore(url, options);
      before.subscribe(() => {})();
      await vi.advanceTimersByTimeAsync(500);
      const after = stubStore(url, options);
      const stub = after.get();
      await vi.advanceTimersByTimeAsync(5000);
      expect(connection(stub).state).not.toBe('closed');
      after.subscribe(() => {})();
      // As in React, where a component that is hidden renders.
      expect(after.get()).toBe(stub);
      await vi.advanceTimersByTimeAsync(2000);
      expect(connection(stub).state).toBe('closed');
    } finally {
      vi.useRealTimers();
      vi.unstubAllGlobals();
    }
  });

  test('that was closed is for nobody who comes later', () => {
    const key = connectionKey(url, { maxWaitMs: 2 });
    const shared = sharedConnection(key, url, { maxWaitMs: 2 });
    const release = shared.retain({ options: {} });
    connection(shared.stub).close();
    expect(sharedConnection(key, url, {})).toBe(shared);
    release();
    const next = sharedConnection(key, url, {});
    expect(next).not.toBe(shared);
    expect(connection(next.stub).state).toBe('idle');
  });
});

test('a connection that cannot be made says so, unless a component asks for its state', async () => {
  using warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const states: string[] = [];
  for (const options of [{}, { onStateChange: (state: string) => void states.push(state) }]) {
    const shared = sharedConnection(connectionKey(`${url}-nobody`, {}), url, options);
    const release = shared.retain({ options });
    const lost = new Promise<void>((resolve) => {
      connection(shared.stub).onStateChange((state) => state === 'reconnecting' && resolve());
    });
    connection(shared.stub).open();
    await lost;
    connection(shared.stub).close();
    release();
  }
  expect(warned.mock.calls).toEqual([[expect.stringContaining('trying again')]]);
  expect(states).toContain('reconnecting');
});
