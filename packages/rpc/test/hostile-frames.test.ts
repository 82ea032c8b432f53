import { callContext, RpcTarget } from '@lumenize/rpc/server';
import { describe, expect, test } from 'vitest';
import { withSameHash } from './support/same-hash.ts';
import { serve, until } from './support/serve.ts';

class Child extends RpcTarget {
  readonly parent: Api;

  constructor(parent: Api) {
    super();
    this.parent = parent;
  }

  ping(): string {
    return 'pong';
  }

  [Symbol.dispose](): void {
    this.parent.disposed++;
  }
}

class Api extends RpcTarget {
  ran = 0;
  disposed = 0;
  readonly aborted: string[] = [];

  count(): number {
    return ++this.ran;
  }

  echo(value: unknown): unknown {
    return value;
  }

  async later(): Promise<object> {
    await undefined;
    return {};
  }

  child(): Child {
    return new Child(this);
  }

  list(length: number): number[] {
    return Array.from({ length }, (_, n) => n);
  }

  never(): Promise<never> {
    const { signal } = callContext();
    signal.addEventListener('abort', () => this.aborted.push(signal.reason.code));
    return new Promise(() => {});
  }

  numbers(): ReadableStream<number> {
    let next = 0;
    return new ReadableStream({ pull: (controller) => controller.enqueue(next++) });
  }
}

function served(limits = {}) {
  const api = new Api();
  return { api, ...serve(api, { limits, rateLimits: { connection: false }, onError: () => {} }) };
}

/** Runs something, and returns the milliseconds that this thread has worked: machines have others to run, too. */
function timed(run: () => void): number {
  const start = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

describe('frames that end their connection, and nothing else', () => {
  test.each([
    ['no JSON', '[1,'],
    ['a number', '7'],
    ['null', 'null'],
    ['a frame without an id', '[]'],
    ['an id that is no number', '["1",["count",[]]]'],
    ['an id that only counts as a number', '[true,["count",[]]]'],
    ['an id that is no whole number', '[1.5,["count",[]]]'],
    ['an id beyond all numbers', '[9007199254740991,["count",[]]]'],
    ['an entry that is none', '[1,{}]'],
    ['an empty entry', '[1,[]]'],
    ['a step that is none', '[1,["echo",[1],5]]'],
    ['an address that is none', '[1,[["a",0],"count",[]]]'],
    ['a signal that nobody knows', '{"hello":1}'],
    ['a signal by an inherited name', '{"constructor":1}'],
    ['a release that is no list', '{"release":1}'],
    ['a count of a release that is none', '{"release":[1]}'],
    ['a count of a release that is negative', '{"release":[1,-1]}'],
    ['a cancel that is no list', '{"cancel":5}'],
    ['a frame that is sent again and is none', '{"again":[],"open":[],"ms":1}'],
    ['a frame that is sent again without a time', '{"again":[1],"open":[1]}'],
    ['a mark that nobody knows', '[1,["echo",{"$":[{"$nothing":[]}]}]]'],
    ['a type that nobody knows', '[1,["echo",{"$":[{"$Nothing":[]}]}]]'],
    ['a place as an argument', '[1,["echo",{"$":[{"$place":[0]}]}]]'],
    ['bytes that are not there', '[1,["echo",{"$":[{"$Uint8Array":[{"$bytes":1000000000}]}]}]]'],
    ['brackets without end', '['.repeat(2_000_000)],
    ['brackets that end', `[1,["echo",[${'['.repeat(100_000)}${']'.repeat(100_000)}]]]`],
    ['too many objects', `[1,["echo",[${'[],'.repeat(600_000)}0]]]`],
    ['too many calls', `[1,${'["count"],'.repeat(10_001)}0]`],
  ])('%s', (_name, frame) => {
    const { send, closes, api, session } = served();
    send([1, ['never', []]]);
    send(frame);
    expect(closes).toEqual([{ code: 1007, reason: expect.stringMatching(/^(MALFORMED_FRAME|LIMIT_EXCEEDED): /) }]);
    expect(api.aborted).toEqual(['REFERENCE_LOST']);
    expect(session.idle).toBeUndefined();
    send([9, ['count', []]]);
    expect(api.ran).toBe(0);
  });

  test('a message that is too large ends it with 1009', () => {
    const { send, closes } = served({ maxMessageBytes: 1000 });
    send([1, ['echo', ['x'.repeat(1000)]]]);
    expect(closes).toEqual([{ code: 1009, reason: expect.stringMatching(/^TOO_LARGE: maxMessageBytes/) }]);
  });

  test('bytes that are no message', () => {
    const { send, closes } = served();
    send(new Uint8Array([255, 255, 255, 255, 1]));
    expect(closes).toMatchObject([{ code: 1007 }]);
  });
});

test('nothing of a frame runs after a method has ended its connection', () => {
  class Ending extends Api {
    override count(): number {
      session.closed();
      return super.count();
    }
  }
  const api = new Ending();
  const { session, send } = serve(api);
  send([1, ['count', []], ['count', []], ['echo', [1]]]);
  expect(api.ran).toBe(1);
});

describe('what cannot be reached', () => {
  test.each(['constructor', '__proto__', 'then', 'toJSON', 'toString', 'hasOwnProperty', 'ran', 'aborted', '#x', ''])(
    '%s',
    (name) => {
      const { send, answers } = served();
      send([1, [name, []], [name], ['echo', [{ a: 1 }], name], ['echo', [[1]], name, []]]);
      expect([...answers().values()]).toEqual(Array(4).fill('METHOD_NOT_FOUND'));
    },
  );
});

describe('references', () => {
  test('that were never given, or not by this life, are lost, and nothing runs', () => {
    const { send, answers, api } = served();
    send([1, [99, 'count', []], [2 ** 50, 'count', []], [[7, 0], 'count', []], ['echo', { $: [{ $yours: [5] }] }]]);
    expect([...answers().values()]).toEqual(Array(4).fill('REFERENCE_LOST'));
    expect(api.ran).toBe(0);
  });

  test('are not released more often than they were sent', () => {
    const { send, session, api } = served();
    send([1, ['child', []]]);
    send({ release: [99, 1, 2 ** 50, 3] });
    expect(session.counts.exports).toBe(1);
    send({ release: [1, 2 ** 40] });
    send({ release: [1, 1] });
    expect([session.counts.exports, api.disposed]).toEqual([0, 1]);
  });

  test('with numbers that an engine puts into one place take no time beyond their bytes', () => {
    const { send } = served();
    const ids = withSameHash(5000).map((id) => id + 1);
    const marks = ids.map((id) => ({ $function: [id] }));
    expect(timed(() => send([1, ['count', { $: [marks] }]]))).toBeLessThan(1000);
  });
});

/** Runs something, and returns what rejected meanwhile without anybody noticing: in Node, that ends the process. */
async function unnoticed(run: () => Promise<void>): Promise<unknown[]> {
  const rejected: unknown[] = [];
  const before = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', (error) => void rejected.push(error));
  await run();
  await new Promise((resolve) => setTimeout(resolve));
  process.removeAllListeners('unhandledRejection');
  for (const listener of before) process.on('unhandledRejection', listener);
  return rejected;
}

describe('what fails is told to nobody but its caller', () => {
  test('a step that is asked for, and that nobody waits for after all', async () => {
    const { send, answers } = served();
    const rejected = await unnoticed(async () => {
      // The first call fails before its second step, which the others ask for: one beside a step that there never was.
      const wrong = [77, 0];
      const step = [1, 1];
      send([1, ['later', [], 'nothing', [], 'more', []]]);
      send([2, ['echo', { $: [{ $result: [0] }, { $result: [1] }], of: [step, wrong] }]]);
      send([3, ['echo', { $: [{ $result: [0] }], of: [step] }]]);
      await until(() => answers().size === 3);
    });
    expect([answers().get(2), rejected]).toEqual(['REFERENCE_LOST', []]);
  });

  test('a call with the id of another', async () => {
    const { send, closes } = served();
    const rejected = await unnoticed(async () => {
      send([1, ['never', []]]);
      send([1, ['later', [], 'nothing', []]]);
      await new Promise((resolve) => setTimeout(resolve));
    });
    expect([closes.length, rejected]).toEqual([1, []]);
  });
});

describe('a frame costs its bytes', () => {
  test('sent again with a long list of places', () => {
    const { send, answers } = served();
    const same = withSameHash(40_000);
    expect(timed(() => send({ again: [1, ['echo', [1]]], open: [...same, 1], ms: 1 }))).toBeLessThan(500);
    expect(answers().get(1)).toBe('OUTCOME_UNKNOWN');
  });

  test('with many results as arguments', () => {
    const { send, answers } = served();
    const of = Array(100_000).fill(-1);
    const form = of.map((_, at) => ({ $result: [at] }));
    expect(timed(() => send([1, ['count', []], ['echo', { $: [form], of }]]))).toBeLessThan(1000);
    expect(answers().get(2)).toHaveLength(100_000);
  });

  test('with a path of a million names', () => {
    const { send, answers } = served();
    expect(timed(() => send([1, ['echo', [1], ...Array(1_000_000).fill('a')]]))).toBeLessThan(1000);
    expect(answers().get(1)).toBe('METHOD_NOT_FOUND');
  });

  test('with many ids that have nothing to do with each other', () => {
    const { send, session } = served();
    const ids = withSameHash(3000).filter((id) => id > 0);
    const ms = timed(() => {
      for (const id of ids) send([id, ['never', []]]);
    });
    expect(ms).toBeLessThan(2000);
    expect(session.settings.shared.calls).toBe(1000);
  });

  test('keeps a thousand steps, and a hundred of data, of frames of 32 MiB in all', () => {
    const { send, session, answers } = served();
    const megabyte = 'x'.repeat(1_000_000);
    for (let id = 1; id <= 80; id++) send([id, ['echo', [[megabyte + id]], 'length']]);
    expect(session.counts.heldResults).toBeLessThan(40);
    send([100, [[1, 0], 'length'], [[80, 0], 'length']]);
    expect([...answers().values()].slice(-2)).toEqual(['REFERENCE_LOST', 1]);
    for (let id = 1000; id < 4000; id++) send([id, ['child', [], 'ping', []]]);
    expect(session.counts.heldResults).toBeLessThanOrEqual(1100);
  });
});

describe('map', () => {
  /** Calls `map` with a callback that is a frame of its own. */
  const mapped = (length: number, entries: unknown[], form: unknown = { $: [{ $result: [0] }], of: [-1] }) => {
    const callback = { $callback: [JSON.stringify([[1, ...entries], form]), { $yours: [0] }] };
    return ['list', [length], 'map', { $: [callback] }];
  };

  test('of map is bounded by what all of its callbacks do together', async () => {
    const { send, answers } = served({ maxMapOperations: 10_000 });
    const text = JSON.stringify([[1, [['c', 1], 'count', []]], { $: [{ $result: [0] }], of: [-1] }]);
    const inner = { $: [{ $callback: [text, { $result: [0] }] }], of: [['c', 1]] };
    send([1, mapped(1000, [[['c', 1], 'list', [1000], 'map', inner]])]);
    await until(() => answers().has(1));
    expect(answers().get(1)).toBe('LIMIT_EXCEEDED');
  });

  test('reads its callback for each element, which counts by its bytes', async () => {
    const { send, answers } = served({ maxMapOperations: 100_000 });
    const large = 'x'.repeat(100_000);
    const ms = timed(() => send([1, mapped(1000, [[['c', 1], 'echo', [[large]], 'length']])]));
    await until(() => answers().has(1));
    expect(answers().get(1)).toBe('LIMIT_EXCEEDED');
    expect(ms).toBeLessThan(1000);
  });

  test('makes the constants of its callback for each element, which count by their objects', async () => {
    const { send, answers } = served();
    const constant = Array.from({ length: 5000 }, () => []);
    send([1, mapped(1000, [], [constant])]);
    await until(() => answers().has(1));
    expect(answers().get(1)).toBe('LIMIT_EXCEEDED');
  });

  test('lets others have their turn', async () => {
    const { send, answers } = served();
    const other = served();
    send([1, mapped(50_000, [[['c', 1], 'count', []]])]);
    other.send([1, ['count', []]]);
    expect(answers().has(1)).toBe(false);
    expect(other.answers().get(1)).toBe(1);
    await until(() => answers().has(1));
    expect((answers().get(1) as unknown[]).length).toBe(50_000);
  });
});

describe('streams', () => {
  test('pulls without end wait as calls do, and are refused beyond their number', async () => {
    const { send, answers, session } = served({ maxCallsInFlight: 50 });
    send([1, ['numbers', []]]);
    const pulls = Array.from({ length: 1000 }, () => [1, []]);
    send([2, ...pulls]);
    await until(() => answers().size === 1001);
    const refused = [...answers().values()].filter((answer) => answer === 'OVERLOADED');
    expect(refused.length).toBeGreaterThanOrEqual(900);
    send({ release: [1, 1] });
    expect(session.counts).toMatchObject({ exports: 0, channels: 0 });
  });
});
