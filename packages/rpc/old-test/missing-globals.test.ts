import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';

const NEEDED = [
  'crypto.getRandomValues',
  'FinalizationRegistry',
  'Promise.withResolvers',
  'TextDecoder',
  'TextEncoder',
  'URL.canParse',
  'btoa',
];
/** Some values need these; calls without such values do not. */
const FOR_SOME_VALUES = [
  ...['ReadableStream', 'WritableStream', 'Headers', 'Request', 'Response', 'Blob', 'File', 'FormData'],
  ...['DOMException', 'URLSearchParams', 'Temporal', 'SharedArrayBuffer', 'structuredClone', 'MessageChannel'],
];

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.resetModules();
});

/** Takes a global away, or a member of one. */
function takeAway(path: string): void {
  const [name, member] = path.split('.');
  if (member === undefined) vi.stubGlobal(name, undefined);
  else vi.spyOn(Reflect.get(globalThis, name), member, 'get').mockReturnValue(undefined);
}

describe('a runtime', () => {
  test.each(NEEDED)('without %s is told so when it connects, and not before', async (path) => {
    takeAway(path);
    vi.resetModules();
    const { connect } = await import('../src/index.ts');
    expect(() => connect('ws://localhost/')).toThrow(new TypeError(`needs a polyfill: ${path}`));
  });

  test('is told all that it lacks at once', async () => {
    for (const path of NEEDED) takeAway(path);
    vi.resetModules();
    const { connect } = await import('../src/index.ts');
    expect(() => connect('ws://localhost/')).toThrow(`needs a polyfill: ${NEEDED.join(',')}`);
  });

  test('without what only some values need makes calls', async () => {
    for (const name of FOR_SOME_VALUES) takeAway(name);
    vi.resetModules();
    const { connectInMemory, RpcTarget } = await import('../src/memory.ts');
    class Room extends RpcTarget {
      echo(value: unknown) {
        return value;
      }
      room() {
        return new Room();
      }
      ask(question: (text: string) => string) {
        return question('Is anybody here?');
      }
      fail() {
        throw new RangeError('nobody');
      }
    }
    using stub = connectInMemory(new Room());
    const value = { list: [1, 'ü', null, undefined, 1n], map: new Map([[new Date(0), new Set([1])]]), at: -0 };
    expect(await stub.echo(value)).toEqual(value);
    expect(await stub.room().room().echo(new Uint8Array(3))).toEqual(new Uint8Array(3));
    expect(await stub.ask((text) => text.toUpperCase())).toBe('IS ANYBODY HERE?');
    await expect(stub.fail()).rejects.toThrow(RangeError);
  });
});

test('docs/guides/getting-started.md says what Node 20 says', async () => {
  // Which has neither.
  for (const path of ['Promise.withResolvers', 'WebSocket']) takeAway(path);
  vi.resetModules();
  const { connect } = await import('../src/index.ts');
  const guide = readFileSync(
    fileURLToPath(new URL('../../../docs/guides/getting-started.md', import.meta.url)),
    'utf8',
  );
  const [, said] = guide.match(/\| `([^`]*)` \| `TypeError` \| Node is older than 22/)!;
  expect(() => connect('ws://localhost/')).toThrow(new TypeError(said));
});

test('docs/runtimes.md lists what is needed', () => {
  const text = readFileSync(fileURLToPath(new URL('../../../docs/runtimes.md', import.meta.url)), 'utf8');
  const listed = [...text.slice(text.indexOf('## What a client needs')).matchAll(/`([\w.]+)`/g)].map(
    ([, name]) => name,
  );
  expect(listed).toEqual(expect.arrayContaining(NEEDED));
});
