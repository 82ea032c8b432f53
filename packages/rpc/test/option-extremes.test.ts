import { connectOver, RpcError, withOptions } from '@lumenize/rpc';
import { connectBinding } from '@lumenize/rpc/binding';
import { connect as connectCore } from '@lumenize/rpc/core';
import { connectHttp } from '@lumenize/rpc/http';
import { connectInMemory } from '@lumenize/rpc/memory';
import { connectPort, servePort } from '@lumenize/rpc/port';
import { RpcTarget, serveOver } from '@lumenize/rpc/server';
import { testConnection } from '@lumenize/rpc/testing';
import { describe, expect, test } from 'vitest';
import { serverSettings } from '../src/server/settings.ts';

class Api extends RpcTarget {
  echo(value: unknown): unknown {
    return value;
  }
  async *count(): AsyncGenerator<number> {
    yield* [1, 2, 3];
  }
}

const EXTREMES = [
  64,
  0,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1e18,
  0.5,
  '5',
  true,
  null,
  [],
  {},
  () => 5,
  5n,
  Symbol('5'),
];
type Kind = 'count' | 'ms' | 'flag' | 'function' | 'list' | 'options' | 'options or false';

const isNumber = (value: unknown) => typeof value === 'number' && value >= 0;

/** What is accepted as each kind of option. */
const ACCEPTS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  count: isNumber,
  ms: isNumber,
  flag: (value) => typeof value === 'boolean',
  function: (value) => typeof value === 'function',
  list: (value) => typeof value === 'object' && value !== null,
  options: (value) => typeof value === 'object' && value !== null,
  'options or false': (value) => typeof value === 'boolean' || ACCEPTS.options(value),
};

/** All options of clients and of servers, by their places. */
const LIMITS = Object.fromEntries(
  Object.keys(serverSettings({}).limits).map((name) => [`limits.${name}`, 'count']),
) as Record<string, Kind>;
const CLIENT: Readonly<Record<string, Kind>> = {
  ...LIMITS,
  limits: 'options',
  eager: 'flag',
  maxWaitMs: 'ms',
  maxQueuedCalls: 'count',
  maxQueuedBytes: 'count',
  reconnect: 'options or false',
  'reconnect.minDelayMs': 'ms',
  'reconnect.maxDelayMs': 'ms',
  'reconnect.stableMs': 'ms',
  connectTimeoutMs: 'ms',
  heartbeat: 'options or false',
  'heartbeat.intervalMs': 'ms',
  'heartbeat.timeoutMs': 'ms',
  wrapTransport: 'function',
  onStateChange: 'function',
  onError: 'function',
};
const SERVER: Readonly<Record<string, Kind>> = {
  ...LIMITS,
  limits: 'options',
  hibernate: 'flag',
  storedResults: 'options',
  'storedResults.retentionMs': 'ms',
  'storedResults.maxResults': 'count',
  'storedResults.maxBytes': 'count',
  'storedResults.maxResultBytes': 'count',
  errorStacks: 'flag',
  refuse: 'list',
  onError: 'function',
  onRefused: 'function',
  protocols: 'list',
};

/** Options with a value at a place such as `limits.maxObjects`. */
function withOption(place: string, value: unknown): object {
  return place.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;
}

const never = () => ({ send() {}, close() {} });
const CHANNEL = { send() {}, close() {} } as never;

/** Everything that takes options. */
const ENTRIES: readonly [name: string, options: Readonly<Record<string, Kind>>, use: (options: object) => unknown][] = [
  ['connect of the core', CLIENT, (options) => connectCore('ws://x.test', options)],
  ['connectOver', CLIENT, (options) => connectOver(never, 'a test', options)],
  ['connectHttp', CLIENT, (options) => connectHttp('http://x.test', { eager: false, ...options })],
  ['connectBinding', CLIENT, (options) => connectBinding({ openRpcConnection: () => new Promise(() => {}) }, options)],
  [
    'connectPort',
    { ...CLIENT, openTimeoutMs: 'ms' },
    (options) => connectPort(new MessageChannel().port1 as never, options),
  ],
  ['connectInMemory', { ...SERVER, ...CLIENT }, (options) => connectInMemory(new Api(), options)],
  ['testConnection', { ...SERVER, ...CLIENT }, (options) => testConnection(() => new Api(), options)],
  ['serveOver', SERVER, (options) => serveOver(CHANNEL, new Api(), options)],
  ['withOptions', { timeoutMs: 'ms' }, (options) => void withOptions(connectInMemory(new Api()), options)],
  ['servePort', SERVER, (options) => servePort(new MessageChannel().port1 as never, new Api(), options)],
];

/** Calls a function; returns what it throws, such as that a value exceeds its limit. */
function thrownBy(call: () => Partial<Disposable> | undefined): unknown {
  try {
    call()?.[Symbol.dispose]?.();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe.each(ENTRIES)('%s', (_entry, options, use) => {
  test.each(Object.entries(options))('refuses what %s cannot be, and names it', (place, kind) => {
    const name = place.split('.').at(-1)!;
    for (const value of EXTREMES) {
      const call = () => use(withOption(place, value)) as Partial<Disposable> | undefined;
      if (ACCEPTS[kind](value)) {
        if (!/^(use|refuse|protocols|wrapTransport)$/.test(name)) expect(thrownBy(call)).not.toBeInstanceOf(TypeError);
        continue;
      }
      expect(call, String(value)).toThrow(TypeError);
      expect(call, String(value)).toThrow(name);
    }
  });
});

/** Everything that an option can make of a call: it settles, and says why it failed. */
async function outcomeOf(options: object): Promise<unknown> {
  const { stub, ...connection } = testConnection(() => new Api(), { maxWaitMs: 500, ...options });
  try {
    const counted: number[] = [];
    const text = await stub.echo('x'.repeat(1000));
    for await (const number of stub.count()) counted.push(number);
    return [text === 'x'.repeat(1000), counted];
  } catch (error) {
    return error instanceof RpcError ? error.code : error;
  } finally {
    void connection;
    (stub as unknown as Disposable)[Symbol.dispose]();
  }
}

const NUMBERS = Object.entries({ ...SERVER, ...CLIENT }).filter(([, kind]) => /count|ms/.test(kind));

test.each(NUMBERS)('%s at its extremes lets a call succeed, or fail with a code', async (place, kind) => {
  for (const value of EXTREMES.filter(ACCEPTS[kind])) {
    const outcome = await outcomeOf(withOption(place, value));
    if (Number(value) >= 1e18) expect(outcome, String(value)).toEqual([true, [1, 2, 3]]);
    else
      expect(typeof outcome === 'string' ? 'a code' : outcome, String(value)).toEqual(
        typeof outcome === 'string' ? 'a code' : [true, [1, 2, 3]],
      );
  }
});
