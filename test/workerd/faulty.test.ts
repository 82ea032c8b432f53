import { env, evictDurableObject, SELF } from 'cloudflare:test';
import { connection, type Stub } from '@lumenize/rpc';
import { connectBinding } from '@lumenize/rpc/binding';
import { connectHttp } from '@lumenize/rpc/http';
import { RpcError, RpcTarget } from '@lumenize/rpc/server';
import { crash, openObject, restart } from '@lumenize/rpc/testing/workers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FaultyObject, FUNCTIONS, type Functions, HAPPENED } from './faulty-object.ts';
import { connectToSelf } from './self-transport.ts';

interface Api {
  run(value: string): Promise<string>;
  fail(): Promise<void>;
}

const { FAULTY } = env as unknown as { FAULTY: DurableObjectNamespace<FaultyObject> };

const WAYS: readonly [way: string, connect: (name: string) => Stub<Api>][] = [
  ['a socket', (name) => connectToSelf<Api>(`/faulty/faulty/${encodeURIComponent(name)}`)],
  [
    'a batch',
    (name) =>
      connectHttp<Api>(`http://worker.test/faulty/faulty/${encodeURIComponent(name)}`, {
        fetch: (url, init) => SELF.fetch(url, init),
      }),
  ],
  ['a binding', (name) => connectBinding<Api>(FAULTY.getByName(name))],
];

let logged: unknown[];
beforeEach(() => {
  logged = [];
  vi.spyOn(console, 'error').mockImplementation((...line) => void logged.push(line.map(String).join(' ')));
});
afterEach(() => void vi.restoreAllMocks());

const defect = () => {
  throw new Error('a defect');
};
const rejecting = async () => defect();
/** A promise of another library. */
class Later {
  readonly #value: unknown;
  constructor(value: unknown) {
    this.#value = value;
  }
  then(resolve: (value: unknown) => void): void {
    resolve(this.#value);
  }
}
const later = (value: unknown) => new Later(value);

/** A function of an application, what it does wrong, and what becomes of a call: its result, or its error. */
interface Row {
  readonly is: string;
  readonly functions: Functions;
  readonly outcome: 'x' | { code: string; message?: unknown };
  /** What `onError` is told, or else what the log has. */
  readonly told?: string;
  readonly logged?: string;
  /** The ways to connect that ask the function; all of them if this is undefined. */
  readonly ways?: readonly string[];
}

const DENIED = { code: 'DENIED' };
const byWorker = ['a socket', 'a batch'];
const unchecked = { code: 'INTERNAL', message: 'the arguments of FaultyTarget.run could not be checked' };
const unidentified = { code: 'NOT_EXECUTED', message: expect.stringMatching(/^the server could not find out who/) };
const unlimited = { code: 'NOT_EXECUTED', message: 'rateLimits.identity.by failed' };

const ROWS: readonly Row[] = [
  { is: 'guard throws', functions: { guard: defect }, outcome: DENIED, told: 'run: Error: a defect' },
  { is: 'guard rejects', functions: { guard: rejecting }, outcome: DENIED, told: 'run: Error: a defect' },
  { is: 'guard returns what is true enough', functions: { guard: () => 'yes' }, outcome: DENIED },
  { is: 'guard returns nothing', functions: { guard: () => undefined }, outcome: DENIED },
  { is: 'guard returns a promise of its own kind', functions: { guard: () => later(true) }, outcome: 'x' },
  { is: 'guard returns such a promise of no', functions: { guard: () => later(false) }, outcome: DENIED },
  { is: 'schema throws', functions: { validate: defect }, outcome: unchecked, told: 'run: Error: a defect' },
  { is: 'schema rejects', functions: { validate: rejecting }, outcome: unchecked, told: 'run: Error: a defect' },
  {
    is: 'schema returns nothing',
    functions: { validate: () => undefined },
    outcome: unchecked,
    told: 'run: TypeError: a schema of FaultyTarget.run returned no result, or no list of arguments',
  },
  {
    is: 'schema returns the value itself',
    functions: { validate: (value) => value },
    outcome: unchecked,
    told: 'run: TypeError: a schema of FaultyTarget.run returned no result, or no list of arguments',
  },
  {
    is: 'schema returns a promise of its own kind',
    functions: { validate: (value) => later({ value }) },
    outcome: 'x',
  },
  {
    is: 'schema returns such a promise of issues',
    functions: { validate: () => later({ issues: [{ message: 'no' }] }) },
    outcome: { code: 'INVALID_ARGUMENTS' },
  },
  {
    is: 'authenticate throws',
    functions: { authenticate: defect },
    outcome: unidentified,
    logged: 'authenticate() failed: Error: a defect',
    ways: byWorker,
  },
  {
    is: 'authenticate reads the body',
    functions: { authenticate: (request) => request.text().then(() => 'ada') },
    outcome: unidentified,
    logged: 'authenticate() failed: TypeError: Cannot reconstruct a Request with a used body',
    ways: ['a batch'],
  },
  {
    is: 'authenticate reads a copy of the body',
    functions: {
      authenticate: (request) =>
        request
          .clone()
          .text()
          .then(() => 'ada'),
    },
    outcome: 'x',
    ways: ['a batch'],
  },
  {
    is: 'authenticate returns a function',
    functions: { authenticate: () => () => 'ada' },
    outcome: unidentified,
    logged: 'authenticate() failed: TypeError: the identity cannot be sent: ',
    ways: byWorker,
  },
  {
    is: 'target throws',
    functions: { target: defect },
    outcome: { code: 'NOT_EXECUTED', message: 'target() failed: a defect' },
    logged: 'target() failed: Error: a defect',
  },
  {
    is: 'target throws an RpcError',
    functions: {
      target: () => {
        throw new RpcError('DENIED', 'not you');
      },
    },
    outcome: { code: 'DENIED', message: 'not you' },
  },
  {
    is: 'target returns a promise',
    functions: { target: async () => new (class extends RpcTarget {})() },
    outcome: {
      code: 'NOT_EXECUTED',
      message: expect.stringMatching(/^target\(\) failed: target\(\) must return an instance of a class/),
    },
    logged: 'target() failed: TypeError: target() must return',
  },
  {
    is: 'rpcOptions throws',
    functions: { rpcOptions: defect },
    outcome: { code: 'NOT_EXECUTED', message: 'the options of the server failed: a defect' },
    logged: 'the options of the server failed: Error: a defect',
  },
  {
    is: 'rpcOptions returns a limit that is none',
    functions: { rpcOptions: () => ({ rateLimits: { connection: { operationsPerSecond: 0, burst: 1 } } }) },
    outcome: { code: 'NOT_EXECUTED', message: expect.stringContaining('rateLimits.connection needs') },
    logged: 'the options of the server failed: TypeError: rateLimits.connection needs',
  },
  {
    is: 'rateLimits.identity.by throws',
    functions: { by: defect },
    outcome: unlimited,
    told: 'a frame: Error: a defect',
  },
  // That all callers have the same promise is tested with the rates.
  { is: 'rateLimits.identity.by returns a promise', functions: { by: async () => 'ada' }, outcome: 'x' },
  { is: 'rateLimits.identity.by returns nothing', functions: { by: () => undefined }, outcome: 'x' },
  { is: 'observe throws', functions: { observe: defect }, outcome: 'x', told: 'observe: Error: a defect' },
  {
    is: 'onConnect throws',
    functions: { onConnect: defect },
    outcome: 'x',
    told: 'onConnect: Error: a defect',
    ways: ['a socket', 'a binding'],
  },
  {
    is: 'onConnect rejects',
    functions: { onConnect: rejecting },
    outcome: 'x',
    told: 'onConnect: Error: a defect',
    ways: ['a socket', 'a binding'],
  },
  {
    is: 'onError throws',
    functions: { guard: defect, onError: defect },
    outcome: DENIED,
    logged: 'onError() failed: Error: a defect',
  },
  {
    is: 'onError rejects',
    functions: { guard: defect, onError: rejecting },
    outcome: DENIED,
    logged: 'onError() failed: Error: a defect',
  },
  {
    is: 'onRefused throws',
    functions: { guard: () => false, onRefused: defect },
    outcome: DENIED,
    logged: 'onRefused() failed: Error: a defect',
  },
  {
    is: 'onRefused rejects',
    functions: { guard: () => false, onRefused: rejecting },
    outcome: DENIED,
    logged: 'onRefused() failed: Error: a defect',
  },
];

describe.each(WAYS)('a call over %s', (way, connect) => {
  const rows = ROWS.filter(({ ways }) => ways?.includes(way) ?? true);

  test.each(rows)(
    'is answered, and runs only if it may, where $is',
    async ({ is, functions, outcome, told, logged: line }) => {
      const name = `${is}, over ${way}`;
      FUNCTIONS.set(name, functions);
      HAPPENED.set(name, []);
      using stub = connect(name);
      const call = stub.run('x');
      if (outcome === 'x') expect(await call).toBe('x');
      else await expect(call).rejects.toMatchObject(outcome);
      const ran = HAPPENED.get(name)!.filter((each) => `${each}`.startsWith('ran'));
      expect(ran).toEqual(outcome === 'x' ? ['ran with x'] : []);
      if (told !== undefined) await expect.poll(() => HAPPENED.get(name)).toContainEqual(told);
      if (line !== undefined) await expect.poll(() => logged).toContainEqual(expect.stringContaining(line));
      // The mistake ends with the function that makes it.
      FUNCTIONS.set(name, {});
      if (
        functions.rpcOptions !== undefined ||
        functions.target !== undefined ||
        functions.authenticate !== undefined
      ) {
        using after = connect(name);
        expect(await after.run('y')).toBe('y');
      }
    },
  );
});

test('options that fail when an object wakes close its sockets, and a client learns why', async () => {
  const name = 'rpcOptions throws after hibernation';
  FUNCTIONS.set(name, {});
  HAPPENED.set(name, []);
  using stub = connectToSelf<Api>(`/faulty/faulty/${encodeURIComponent(name)}`, { reconnect: true, maxWaitMs: 200 });
  expect(await stub.run('x')).toBe('x');
  await evictDurableObject(FAULTY.getByName(name));
  FUNCTIONS.set(name, { rpcOptions: defect });
  await expect(stub.run('y')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  await expect
    .poll(() => connection(stub).reason)
    .toMatchObject({
      code: 'NOT_EXECUTED',
      message: 'the options of the server failed: a defect',
    });
  expect(HAPPENED.get(name)).toEqual(['ran with x']);
});

test.each([
  ['crashed', crash],
  ['restarted', restart],
])(
  'onDisconnect is not called for connections that ended with an object that %s, and none is left',
  async (what, end) => {
    const name = `onDisconnect, ${what}`;
    FUNCTIONS.set(name, {});
    HAPPENED.set(name, []);
    using lost = connectToSelf<Api>(`/faulty/faulty/${encodeURIComponent(name)}`);
    await lost.run('x');
    await end(FAULTY.getByName(name));
    await expect.poll(() => connection(lost).state).not.toBe('open');
    using next = connectToSelf<Api>(`/faulty/faulty/${encodeURIComponent(name)}`);
    await next.run('y');
    expect(HAPPENED.get(name)).toEqual(['ran with x', 'ran with y']);
    expect(await openObject(FAULTY.getByName(name)).rpcMetrics.connections).toBe(1);
  },
);

test.each([
  ['throws', defect],
  ['rejects', rejecting],
])('onDisconnect that %s is told, and the connection has ended', async (what, onDisconnect) => {
  const name = `onDisconnect ${what}`;
  FUNCTIONS.set(name, { onDisconnect });
  HAPPENED.set(name, []);
  const stub = connectToSelf<Api>(`/faulty/faulty/${encodeURIComponent(name)}`);
  await stub.run('x');
  stub[Symbol.dispose]();
  await expect.poll(() => HAPPENED.get(name)).toEqual(['ran with x', 'disconnected', 'onDisconnect: Error: a defect']);
});
