import type { Message } from '@lumenize/rpc';
import { connection, connectOver, type TransportEvents, withOptions } from '@lumenize/rpc';
import { RpcTarget } from '@lumenize/rpc/memory';
import { expect, onTestFinished, test, vi } from 'vitest';
import { expiring, newCaller } from '../src/server/access/caller.ts';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import type { ResultStore } from '../src/session/incoming/result-store.ts';
import { bytes, hex } from './support/hex.ts';

/** What the frames are about. */
class Golden extends RpcTarget {
  static readonly rpc = { once: { exactlyOnce: true }, order: { exactlyOnce: true } };
  #value = 0;
  once(): number {
    return this.increment();
  }
  order(): { id: number } {
    return { id: 7 };
  }
  increment(by = 1): number {
    this.#value += by;
    return this.#value;
  }
  add(a: number, b: number): number {
    return a + b;
  }
  self(): Golden {
    return this;
  }
  get value(): number {
    return this.#value;
  }
  numbers(): number[] {
    return [0, 5];
  }
  fails(): never {
    throw new RangeError('no');
  }
  asks(callback: (question: string) => unknown): unknown {
    return callback('how many?');
  }
  isMe(value: unknown): boolean {
    return value === this;
  }
  forever(): Promise<never> {
    return new Promise(() => {});
  }
}

interface Exchange {
  name: string;
  /** What happens before, and what `calls` gets in place of the stub. */
  // biome-ignore lint/suspicious/noExplicitAny: some calls are wrong on purpose
  before?: (stub: any) => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: some calls are wrong on purpose
  calls: (stub: any) => unknown;
  /** For how long a new token is good; for ever where that is undefined. */
  expiresInMs?: number;
  /** Whether the first connection is lost with the first answer. */
  isLost?: boolean;
  /** Whether the time of the call is over when it has been sent. */
  isGivenUp?: boolean;
  /** Frames that the client sends, with ` / ` between. */
  up: string;
  down: string;
}

/** Frames in hexadecimal, as docs/protocol.md explains them. They change only with the version of the protocol. */
const EXCHANGES: readonly Exchange[] = [
  {
    name: 'a call',
    calls: (stub) => stub.increment(),
    up: '01 83 00 49 80 696e6372656d656e74 09',
    down: '01 81 01 00',
  },
  {
    name: 'a call with an argument',
    calls: (stub) => stub.increment(5),
    up: '01 83 00 49 81 05 696e6372656d656e74 09',
    down: '01 81 05 00',
  },
  { name: 'reading a getter', calls: (stub) => stub.value, up: '01 82 00 45 76616c7565 05', down: '01 81 00 00' },
  {
    name: 'two calls of one turn',
    calls: (stub) => [stub.increment(), stub.increment()],
    up: '01 83 00 49 80 83 00 60 80 696e6372656d656e74 09',
    down: '01 81 01 81 02 00',
  },
  {
    name: 'a chain of three, whose steps are not answered',
    calls: (stub) => stub.self().self().value,
    up: '01 83 00 44 80 83 01 60 80 82 01 45 83 21 00 01 73656c6676616c7565 09',
    down: '03 81 00 00',
  },
  {
    name: 'a path',
    calls: (stub) => stub.value.deep,
    up: '01 82 00 82 45 44 76616c756564656570 09',
    down: '01 82 01 82 50 5e 4d4554484f445f4e4f545f464f554e446e6f2072656d6f74652070726f7065727479202264656570223a206974732072656365697665722069732e2e',
  },
  {
    name: 'a result as an argument',
    calls: (stub) => stub.add(stub.increment(), 2),
    up: '01 83 00 49 80 83 00 43 82 e7 00 81 01 02 82 21 00 696e6372656d656e74616464 0c',
    down: '02 81 03 00',
  },
  {
    name: 'a call that throws',
    calls: (stub) => stub.fails(),
    up: '01 83 00 45 80 6661696c73 05',
    down: '01 82 00 ee 03 01 47 42 6d657373616765 6e6f 09',
  },
  {
    name: 'a method that is not there',
    calls: (stub) => stub.nothing(),
    up: '01 83 00 47 80 6e6f7468696e67 07',
    down: '01 82 01 82',
  },
  {
    name: 'a target that stays where it is',
    calls: (stub) => stub.self(),
    up: '018300448073656c6604',
    down: '0181e7010000',
  },
  {
    name: 'a call on a reference',
    before: (stub) => stub.self(),
    calls: (self) => self.increment(),
    up: '0283304980696e6372656d656e7409',
    down: '02810100',
  },
  {
    name: 'a reference that goes back',
    before: async (stub) => ({ stub, self: await stub.self() }),
    calls: ({ stub, self }) => stub.isMe(self),
    up: '0283004481e700813069734d6504',
    down: '0281e300',
  },
  {
    name: 'letting go of a reference',
    before: (stub) => stub.self(),
    calls: (self) => self[Symbol.dispose](),
    up: '028322000100',
    down: '',
  },
  {
    name: 'going on from a step in a later turn',
    before: async (stub) => {
      const step = stub.self();
      await step.value;
      return { step };
    },
    calls: ({ step }) => step.value,
    up: '0382334576616c756505',
    down: '03810000',
  },
  {
    name: 'a function that is called back',
    calls: (stub) => stub.asks(() => 3),
    up: '0183004481e7020061736b7304 / 2101810300',
    down: '21018330808149686f77206d616e793f09 / 01810300',
  },
  {
    name: 'a call with a deadline and a trace',
    calls: (stub) => withOptions(stub, { timeoutMs: 5000, traceparent: '00-1-2-01' }).increment(),
    up: '01850049801fe92649696e6372656d656e7430302d312d322d303112',
    down: '01810100',
  },
  {
    name: 'a call that is given up',
    calls: (stub) => withOptions(stub, { timeoutMs: 1 }).forever(),
    isGivenUp: true,
    up: '018400478001666f726576657207 / 028324014954494d45445f4f555409',
    down: '',
  },
  {
    name: 'a new token',
    before: async (stub) => {
      await stub.value;
      return { stub };
    },
    calls: ({ stub }) => connection(stub).authenticate(),
    up: '250043 616263 03',
    down: '0081e000',
  },
  {
    name: 'a new token that is good for an hour',
    before: async (stub) => {
      await stub.value;
      return { stub };
    },
    expiresInMs: 3_600_000,
    calls: ({ stub }) => connection(stub).authenticate(),
    up: '25 00 43 616263 03',
    down: '00 81 1f e1dcdb01 00',
  },
  {
    name: 'a recorded callback',
    calls: (stub) => stub.numbers().map((n: unknown) => stub.add(n, 2)),
    up: '018300478083014381e70982f8001283304382e70081000281e700810161646403e70081008221006e756d626572736d61700a',
    down: '028182020700',
  },
  {
    name: 'a recorded callback of filter',
    calls: (stub) => stub.numbers().filter((n: unknown) => n),
    up: '018300478083014681e70981f8000681e7008100008221006e756d6265727366696c7465720d',
    down: '0281810500',
  },
  {
    name: 'a result that is stored',
    calls: (stub) => stub.once(),
    up: '01 83 00 44 80 6f6e6365 04',
    down: '01 82 03 01 00',
  },
  {
    name: 'a step whose result is stored',
    calls: (stub) => stub.order().id,
    up: '01 83 00 45 80 82 01 42 82 21 00 6f72646572 6964 07',
    down: '01 80 81 07 00',
  },
  {
    name: 'telling that a stored result has arrived',
    before: async (stub) => {
      await stub.once();
      return { stub };
    },
    calls: ({ stub }) => stub.increment(),
    up: '02 83 00 49 80 82 28 01 696e6372656d656e74 09',
    down: '02 81 02 00',
  },
  {
    name: 'ending for good, where results are stored',
    before: async (stub) => {
      await stub.once();
      return { stub };
    },
    calls: ({ stub }) => connection(stub).close(),
    up: '02 81 29 00',
    down: '',
  },
  {
    name: 'a call that is sent again',
    calls: (stub) => stub.once(),
    isLost: true,
    up: '01 83 00 44 80 6f6e6365 04 / 24 00 81 00 f8 00 0a 01830044806f6e636504 00',
    down: '01 82 03 01 00 / 01 82 03 01 00',
  },
];

test.each(EXCHANGES)('$name', async ({ before, calls, expiresInMs, isLost, isGivenUp, up, down }) => {
  const sent: string[] = [];
  const answered: string[] = [];
  const results = new MemoryResults();
  const context = createServerContext({
    reauthenticate: (token) => (expiresInMs === undefined ? { token } : expiring({ token }, expiresInMs)),
  });
  let toLose = isLost ?? false;
  if (toLose || expiresInMs !== undefined) pinClock();
  const open = (events: TransportEvents) => {
    const answer = (frame: Message) => {
      answered.push(hex(frame));
      if (!toLose) return events.received(frame);
      toLose = false;
      events.lost(1006, '');
    };
    const session = new ServerSession(new Golden(), { send: answer, close: () => {} }, context, {
      results,
      caller: newCaller(undefined),
    });
    queueMicrotask(() => events.opened());
    return {
      send: (frame: Message) => {
        sent.push(hex(frame));
        session.receive(frame);
      },
      close: () => {},
      ...(isLost && { probe: () => queueMicrotask(() => events.alive()) }),
    };
  };
  const stub = connectOver<Golden>(open, 'a golden target', {
    reconnect: { minDelayMs: 0 },
    heartbeat: false,
    token: 'abc',
  });
  const given = before === undefined ? stub : await before(stub);
  sent.length = answered.length = 0;
  if (isGivenUp) stopTime();
  const settled = Promise.allSettled([calls(given)].flat().map((call) => Promise.resolve(call)));
  if (isGivenUp) {
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    vi.runAllTimers();
    vi.useRealTimers();
  }
  await settled;
  await new Promise((resolve) => setTimeout(resolve));
  expect(sent).toEqual(framesOf(up));
  // The texts of errors are for people, and may be improved.
  if (answered[0]?.startsWith('018201')) expect(down.replaceAll(' ', '').slice(0, 8)).toBe(answered[0].slice(0, 8));
  else expect(answered).toEqual(framesOf(down));
});

test('a server answers frames written by hand', () => {
  const answered: string[] = [];
  const session = new ServerSession(
    new Golden(),
    { send: (frame) => answered.push(hex(frame)), close: () => {} },
    createServerContext({}),
  );
  for (const { up } of EXCHANGES.slice(0, 2)) session.receive(bytes(up));
  expect(answered).toEqual(['01810100', '01810600']);
});

/** Keeps stored results as an object does, but in memory. */
class MemoryResults implements ResultStore {
  readonly #results = new Map<number, unknown>();
  run: ResultStore['run'] = (call, _method, _args, run) => {
    call.isStored = true;
    const result = this.#results.get(call.callId) ?? run();
    this.#results.set(call.callId, result);
    return result;
  };
  find: ResultStore['find'] = (callId) =>
    this.#results.has(callId) ? { ok: true, value: this.#results.get(callId) } : undefined;
  acknowledge(callIds: readonly number[]): void {
    for (const callId of callIds) this.#results.delete(callId);
  }
  forget(): void {
    this.#results.clear();
  }
}

/** Has no time pass until timers are run. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Has frames that are sent again say that they are 0 ms old, whatever it took. */
function pinClock(): void {
  for (const clock of [vi.spyOn(performance, 'now'), vi.spyOn(Date, 'now')]) {
    clock.mockReturnValue(0);
    onTestFinished(() => clock.mockRestore());
  }
}

function framesOf(text: string): string[] {
  return text === '' ? [] : text.replaceAll(' ', '').split('/');
}
