import {
  ByReference,
  describeFrame,
  formatFrame,
  formatValue,
  type RecordedFrame,
  recordFrames,
} from '@lumenize/inspect';
import {
  connection,
  connectOver,
  type Message,
  type OpenTransport,
  type TransportEvents,
  withOptions,
} from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { describe, expect, test, vi } from 'vitest';

class Inspected extends RpcTarget {
  add(a: number, b: number): number {
    return a + b;
  }
  self(): Inspected {
    return this;
  }
  fails(): never {
    throw new RangeError('no');
  }
  ask(callback: (question: string) => unknown): unknown {
    return callback('why?');
  }
  numbers(): number[] {
    return [1, 2];
  }
}

// biome-ignore lint/suspicious/noExplicitAny: stubs are called as untyped code does, too
type Any = any;

function inspected() {
  const frames: RecordedFrame[] = [];
  const stub: Any = connectInMemory(new Inspected(), {
    wrapTransport: recordFrames((frame) => void frames.push(frame)),
  });
  const texts = () => frames.map(({ direction, message }) => `${direction} ${formatFrame(describeFrame(message))}`);
  return { stub, frames, texts };
}

/** An attempt to connect, as a test sees it. */
interface Attempt extends TransportEvents {
  readonly sent: Message[];
  probes: number;
  /** The codes it was closed with by the client. */
  readonly closes: number[];
}

/** A transport whose events are the test's own. */
function heldTransport() {
  const attempts: Attempt[] = [];
  const open: OpenTransport = (events) => {
    const attempt: Attempt = { ...events, sent: [], probes: 0, closes: [] };
    attempts.push(attempt);
    return {
      send: (frame) => void attempt.sent.push(frame),
      close: (code) => void attempt.closes.push(code),
      probe: () => void attempt.probes++,
    };
  };
  const opened = async (count: number) => {
    await vi.waitUntil(() => attempts.length === count);
    attempts[count - 1].opened();
    return attempts[count - 1];
  };
  return { open, opened };
}

describe('a recorder of frames', () => {
  test('tells of each with direction, content, time and connection', async () => {
    const before = performance.now();
    const { stub, frames, texts } = inspected();
    expect(await stub.add(1, 2)).toBe(3);
    expect(frames.map(({ direction, connection }) => [direction, connection])).toEqual([
      ['up', 1],
      ['down', 1],
    ]);
    expect(frames[0].timeMs).toBeGreaterThanOrEqual(before);
    expect(frames[1].timeMs).toBeGreaterThanOrEqual(frames[0].timeMs);
    expect(frames[0].message.length).toBe(connection(stub).statistics.bytesSent);
    expect(texts()).toEqual(['up calls, 17 bytes\n  1: add(1, 2)', 'down answers, 6 bytes\n  1 = 3']);
  });

  test('counts the connections, and leaves it to them whether they can be probed', async () => {
    const frames: RecordedFrame[] = [];
    const { open, opened } = heldTransport();
    const wrapTransport = recordFrames((frame) => void frames.push(frame));
    const stub = connectOver<Inspected>(open, 'a test', { wrapTransport, reconnect: { minDelayMs: 0 } });
    const first = stub.add(1, 2);
    const one = await opened(1);
    one.received('[-1,3]');
    await first;
    one.closed(1006, '');
    const two = await opened(2);
    connection(stub).open();
    expect(two.probes).toBe(1);
    two.alive();
    const second = stub.add(2, 2);
    await vi.waitUntil(() => two.sent.length === 1);
    two.received('[-2,4]');
    await second;
    expect(frames.map(({ direction, connection }) => `${direction} ${connection}`)).toEqual([
      'up 1',
      'down 1',
      'up 2',
      'down 2',
    ]);
    connection(stub).close();
    expect(two.closes).toEqual([1000]);
  });

  test('keeps copies, which nobody changes later', async () => {
    const frames: RecordedFrame[] = [];
    const { open, opened } = heldTransport();
    const wrapTransport = recordFrames((frame) => void frames.push(frame));
    const stub = connectOver<Any>(open, 'a test', { wrapTransport });
    stub.add(1, Uint8Array.of(2)).catch(() => {});
    const [sent] = (await opened(1)).sent as Uint8Array[];
    const before = [...sent];
    sent.fill(0);
    expect([...(frames[0].message as Uint8Array)]).toEqual(before);
    connection(stub).close();
  });

  test('logs what a listener throws, and goes on', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const failure = new Error('a listener failed');
    const wrapTransport = recordFrames(() => {
      throw failure;
    });
    const stub = connectInMemory(new Inspected(), { wrapTransport });
    expect(await stub.add(1, 2)).toBe(3);
    expect(logged.mock.calls).toEqual([[failure], [failure]]);
    logged.mockRestore();
  });
});

describe('a description', () => {
  test('has calls with receiver, operations, terms, and marks for what is no value', async () => {
    const { stub, frames, texts } = inspected();
    await withOptions(stub.self(), { timeoutMs: 5000 })
      .add(
        stub.numbers().map((n: Any) => n),
        2,
      )
      .catch(() => {});
    expect(describeFrame(frames[0].message)).toMatchObject({
      kind: 'calls',
      givenUp: [],
      settledBelow: undefined,
      calls: [
        { id: 1, receiver: { kind: 'connection target' }, operations: [{ name: 'self', args: [] }] },
        {
          id: 2,
          operations: [
            { name: 'numbers', args: [] },
            { name: 'map', args: [{ kind: 'callback' }] },
          ],
        },
        {
          id: 3,
          receiver: new ByReference('result', 1),
          operations: [{ name: 'add', args: [new ByReference('result', 2), 2] }],
          timeoutMs: expect.any(Number),
        },
      ],
    });
    expect(texts()[0]).toMatch(/3: \$1\.add\(\$2, 2\) \(within \d+ ms\)$/m);
  });

  test('reads both ways of a callback, and errors', async () => {
    const { stub, texts } = inspected();
    expect(await stub.ask((question: string) => question.length)).toBe(4);
    await stub.fails().catch(() => {});
    expect(texts().map((text) => text.split('\n')[1].trim())).toEqual([
      '1: ask(<function 1>)',
      '1: #1("why?")',
      '1 = 4',
      '1 = 4',
      '2: fails()',
      '2 failed: RangeError: no',
    ]);
  });

  // Each content of frames that golden frames have not.
  test.each([
    ['[9,7,["a",[]],0]', ['9: a()', '10 was given up', 'all calls below 7 have settled']],
    ['[1,[[4,1],"b-c"],["$d"]]', ['1: $4:1["b-c"]', '2: $d']],
    ['[1,[{"trace":"00-1","since":["e",7]},"a",[]]]', ['1: a() (trace 00-1, since 7)']],
    ['[1,[0]]', ['1: <target>']],
    ['[-4,1,{"$":9},2]', ['4 = 1', '9 = 2']],
    ['[-4,{"$":{"$rpcError":["DENIED","no"]},"!":1}]', ['4 failed: RpcError DENIED: no']],
    ['[-4,{"$":{"$topic":["t",["e",7]]}}]', ['4 = <topic "t" behind 7>']],
    ['[-4,{"$":{"$topic":["t",["e",7],{"$number":"Infinity"}]}}]', ['4 = <topic "t" behind 7, Infinity missed>']],
    ['[-4,{"$":{"$place":[1]}}]', ['4 = <place of a function>']],
    ['[-4,{"$":[1,{"$end":[]}]}]', ['4 = [1, <end>]']],
    ['[1,["a",{"$":[{"$signal":[0,"late"]},{"$signal":[3]}]}]]', ['1: a(<signal aborted: "late">, <signal 3>)']],
    ['[1,["a",{"$":[{"$yours":[2]},{"$bytes-stream":[3]}]}]]', ['1: a(#2, <bytes-stream 3>)']],
    [
      '{"again":[5,["a",[]],["b",[]]],"open":[6],"ms":20}',
      ['first sent 20 ms before, to be answered: 6', '5: a()', '6: b()'],
    ],
    ['{"topic":"t","first":["e",7],"events":[1,{"$":{"$undefined":0}}]}', ['"t" 7: 1', '"t" 8: undefined']],
    ['{"topic":"t","first":["e",7],"events":[]}', ['"t" goes on with event 7']],
    ['{"release":[1,2,3,4]}', ['release #1 (2), #3 (4)']],
    ['{"cancel":[1,"CANCELLED",2,"TIMED_OUT"]}', ['cancel 1: CANCELLED, 2: TIMED_OUT']],
    ['{"abort":3,"why":{"$":{"$undefined":0}}}', ['abort <signal 3>: undefined']],
    ['{"as":"tag","ms":500}', ['identity tag, for 500 ms']],
    ['{"as":"tag"}', ['identity tag']],
    ['{"from":7}', ['calls from 7 on do not run']],
    ['{"leave":"t"}', ['leave "t"']],
    ['{"end":"t"}', ['end "t"']],
    ['{"coming":7}', ['7 bytes are coming']],
    ['{"read":"name"}', ['read "name"']],
    ['ping', ['ping']],
  ])('of %s', (message, lines) => {
    expect(formatFrame(describeFrame(message)).split('\n').slice(1)).toEqual(lines.map((line) => `  ${line}`));
  });

  test.each([
    ['an empty message', new Uint8Array(0), 'MALFORMED_FRAME'],
    ['bytes that are no text', Uint8Array.of(0, 0, 0, 1, 0xff), 'MALFORMED_FRAME'],
    ['what is not JSON', '[1,', 'MALFORMED_FRAME'],
    ['a frame without an id', '[]', 'MALFORMED_FRAME'],
    ['an id that is none', '[0.5,["a"]]', 'MALFORMED_FRAME'],
    ['an entry that is none', '[1,{}]', 'MALFORMED_FRAME'],
    ['an empty entry', '[1,[]]', 'MALFORMED_FRAME'],
    ['a step that is none', '[1,["a",5]]', 'MALFORMED_FRAME'],
    ['arguments that are no list', '[1,["a",{"$":{"$Date":[0]}}]]', 'MALFORMED_FRAME'],
    ['an address that is none', '[1,[[1,2,3],"a"]]', 'MALFORMED_FRAME'],
    ['a result that is not named', '[1,["a",{"$":[{"$result":[0]}]}]]', 'MALFORMED_FRAME'],
    ['a mark that is not known', '[-1,{"$":{"$unheard":[1]}}]', 'MALFORMED_FRAME'],
    ['bytes that are missing', '[-1,{"$":{"$Uint8Array":[{"$bytes":3}]}}]', 'MALFORMED_FRAME'],
    ['a callback that is none', '[1,["a",{"$":[{"$callback":["1"]}]}]]', 'MALFORMED_FRAME'],
    ['a signal that is not known', '{"forget":[1]}', 'MALFORMED_FRAME'],
    ['a release without its count', '{"release":[1]}', 'MALFORMED_FRAME'],
    ['a frame sent again inside another', '{"again":{"again":[1]},"open":[],"ms":1}', 'MALFORMED_FRAME'],
    ['events without a position', '{"topic":"t","first":7,"events":[]}', 'MALFORMED_FRAME'],
    ['a value that is too deep', `[-1,${'['.repeat(5000)}${']'.repeat(5000)}]`, 'LIMIT_EXCEEDED'],
  ])('of %s says that it cannot be read', (_name, message, code) => {
    expect(describeFrame(message)).toMatchObject({ kind: 'unreadable', code, size: message.length });
  });

  test('of text that is no frame shows it as it is', () => {
    const described = describeFrame('ping é');
    expect(described).toEqual({ kind: 'text', text: 'ping é', size: 7 });
    expect(formatFrame(described)).toBe('text, 7 bytes\n  ping é');
  });
});

describe('a value is written', () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  test.each([
    [{ a: [1, -0, 2n], 'b c': 'text' }, '{ a: [1, -0, 2n], "b c": "text" }'],
    [new Map([[{}, new Set([undefined, null])]]), 'Map {{} => Set {undefined, null}}'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Date(Number.NaN), 'Invalid Date'],
    [/a/g, '/a/g'],
    [new Float64Array([1.5, 2]), 'Float64Array [1.5, 2]'],
    [new Uint8Array(20), `Uint8Array [${'00 '.repeat(16)}… 20 bytes]`],
    [cyclic, '{ self: <cycle> }'],
    [[[[[[1]]]]], '[[[[…]]]]'],
    ['x'.repeat(300), JSON.stringify(`${'x'.repeat(200)}…`)],
    [Array.from({ length: 25 }, () => 0), `[${'0, '.repeat(20)}… 5 more]`],
    [Object.create(null), '{}'],
    [new ByReference('target', 3), '<target 3>'],
  ])('%o', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });
});
