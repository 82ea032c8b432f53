import { connection, connectOver, type Message, type TransportEvents, withOptions } from '@lumenize/rpc';
import { RpcTarget } from '@lumenize/rpc/memory';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { expiring, newCaller } from '../src/server/access/caller.ts';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import type { ResultStore } from '../src/session/incoming/delivery.ts';
import {
  answersIn,
  answersTo,
  contentOf,
  expected,
  isWhole,
  type Line,
  type Serve,
  scripted,
  VECTORS,
} from './support/vectors.ts';

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

/** What leads to the frames of a vector. */
interface Run {
  /** What happens before, and what `calls` gets in place of the stub. */
  // biome-ignore lint/suspicious/noExplicitAny: some calls are wrong on purpose
  before?: (stub: any) => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: some calls are wrong on purpose
  calls: (stub: any) => unknown;
  /** For how long a new token is good; for ever where that is undefined. */
  expiresInMs?: number;
  /** Whether the identity of the connection has expired from the start. */
  hasExpired?: boolean;
  /** Whether the first connection is lost with the first answer. */
  isLost?: boolean;
  /** Whether the time of the call is over when it has been sent. */
  isGivenUp?: boolean;
}

const RUNS: Readonly<Record<string, Run>> = {
  'a call': {
    calls: (stub) => stub.increment(),
  },
  'a call with an argument': {
    calls: (stub) => stub.increment(5),
  },
  'reading a getter': { calls: (stub) => stub.value },
  'two calls of one turn': {
    calls: (stub) => [stub.increment(), stub.increment()],
  },
  'a chain of three, whose steps are not answered': {
    calls: (stub) => stub.self().self().value,
  },
  'a path': {
    calls: (stub) => stub.value.deep,
  },
  'a result as an argument': {
    calls: (stub) => stub.add(stub.increment(), 2),
  },
  'a call that throws': {
    calls: (stub) => stub.fails(),
  },
  'a method that is not there': {
    calls: (stub) => stub.nothing(),
  },
  'a target that stays where it is': {
    calls: (stub) => stub.self(),
  },
  'a call on a reference': {
    before: (stub) => stub.self(),
    calls: (self) => self.increment(),
  },
  'a reference that goes back': {
    before: async (stub) => ({ stub, self: await stub.self() }),
    calls: ({ stub, self }) => stub.isMe(self),
  },
  'letting go of a reference': {
    before: (stub) => stub.self(),
    calls: (self) => self[Symbol.dispose](),
  },
  'going on from a step in a later turn': {
    before: async (stub) => {
      const step = stub.self();
      await step.value;
      return { step };
    },
    calls: ({ step }) => step.value,
  },
  'a function that is called back': {
    calls: (stub) => stub.asks(() => 3),
  },
  'a call with a deadline and a trace': {
    calls: (stub) => withOptions(stub, { timeoutMs: 5000, traceparent: '00-1-2-01' }).increment(),
  },
  'a call that waits because the identity has expired': {
    calls: (stub) => stub.increment(),
    hasExpired: true,
  },
  'a call that is given up': {
    calls: (stub) => withOptions(stub, { timeoutMs: 60_000 }).forever(),
    isGivenUp: true,
  },
  'a new token': {
    before: async (stub) => {
      await stub.value;
      return { stub };
    },
    calls: ({ stub }) => connection(stub).authenticate(),
  },
  'a new token that is good for an hour': {
    before: async (stub) => {
      await stub.value;
      return { stub };
    },
    expiresInMs: 3_600_000,
    calls: ({ stub }) => connection(stub).authenticate(),
  },
  'a recorded callback': {
    calls: (stub) => stub.numbers().map((n: unknown) => stub.add(n, 2)),
  },
  'a recorded callback of filter': {
    calls: (stub) => stub.numbers().filter((n: unknown) => n),
  },
  'a result that is stored': {
    calls: (stub) => stub.once(),
  },
  'a step whose result is stored': {
    calls: (stub) => stub.order().id,
  },
  'telling that a stored result has arrived': {
    before: async (stub) => {
      await stub.once();
      return { stub };
    },
    calls: ({ stub }) => stub.increment(),
  },
  'ending for good, where results are stored': {
    before: async (stub) => {
      await stub.once();
      return { stub };
    },
    calls: ({ stub }) => connection(stub).close(),
  },
  'a call that is sent again': {
    calls: (stub) => stub.once(),
    isLost: true,
  },
};

/** Makes the servers of the connections of a run, which are of one object. */
function serverFor({ expiresInMs, hasExpired, isLost }: Run): Serve {
  const results = new MemoryResults();
  const context = createServerContext({
    reauthenticate: (token) => (expiresInMs === undefined ? { token } : expiring({ token }, expiresInMs)),
  });
  if (isLost || expiresInMs !== undefined) pinClock();
  const caller = { ...newCaller(undefined), expiresAt: hasExpired ? 0 : undefined };
  return (channel) => new ServerSession(new Golden(), channel, context, { results: () => results, caller });
}

/** Runs calls of a client: what was said before them and then, and what became of them. */
async function said({ before, calls, hasExpired, isLost, isGivenUp }: Run, serve: Serve) {
  const lines: Line[] = [];
  const note = (way: Line['way'], message: Message) => lines.push({ way, content: contentOf(message) });
  let toLose = isLost ?? false;
  const open = (events: TransportEvents) => {
    const answer = (frame: Message) => {
      note(toLose ? 'lost' : 'down', frame);
      if (!toLose) return events.received(frame);
      toLose = false;
      events.closed(1006, '');
    };
    // The notice must not arrive while the frame that is to wait is being sent.
    const send = hasExpired ? (frame: Message) => queueMicrotask(() => answer(frame)) : answer;
    const peer = serve({ send, close: () => {} });
    queueMicrotask(() => events.opened());
    return {
      send: (frame: Message) => {
        note('up', frame);
        peer.receive(frame);
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
  const linesBefore = lines.splice(0);
  if (isGivenUp) stopTime();
  const settled = Promise.allSettled([calls(given)].flat().map((call) => Promise.resolve(call)));
  if (isGivenUp) {
    while (lines.length === 0) await new Promise((resolve) => setImmediate(resolve));
    vi.runAllTimers();
    vi.useRealTimers();
  }
  const outcomes = await settled;
  await new Promise((resolve) => setTimeout(resolve));
  return { before: linesBefore, frames: lines, outcomes: outcomes.map(described) };
}

/** What became of a call, by which two are compared. */
function described(outcome: PromiseSettledResult<unknown>): unknown {
  if (outcome.status === 'rejected') return outcome.reason.code ?? String(outcome.reason);
  return Object(outcome.value) === outcome.value && !Array.isArray(outcome.value) ? 'an object' : outcome.value;
}

test('each vector has calls that lead to it', () => {
  expect(VECTORS.calls.map(({ name }) => name)).toEqual(Object.keys(RUNS));
});

describe.each(VECTORS.calls)('$name', ({ name, before = [], frames }) => {
  const run = RUNS[name];
  const lines = [...before, ...frames];

  test('is what client and server say', async () => {
    const all = await said(run, serverFor(run));
    expect(all.before).toEqual(expected(before));
    expect(all.frames).toEqual(expected(frames));
  });

  test('is what a server answers', async () => {
    expect(await answersTo(lines, serverFor(run))).toEqual(expected(answersIn(lines)));
  });

  // Where the text of an error is cut short, there is nothing to be understood.
  if (lines.every(isWhole)) {
    test('is what a client understands', async () => {
      if (run.isLost) pinClock();
      const all = await said(run, scripted(lines));
      expect(all.frames).toEqual(expected(frames));
      expect(all.outcomes).toEqual((await said(run, serverFor(run))).outcomes);
    });
  }
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
