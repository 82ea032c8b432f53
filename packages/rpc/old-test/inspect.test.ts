import { connection, connectOver, withOptions } from '@lumenize/rpc';
import {
  ByReference,
  describeFrame,
  formatFrame,
  formatValue,
  type RecordedFrame,
  recordFrames,
} from '@lumenize/rpc/inspect';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { describe, expect, test } from 'vitest';
import { writeResent } from '../src/protocol/resent.ts';
import { Extended, sequence } from './support/frames.ts';
import { result } from './support/probed-client.ts';
import { probedTransport } from './support/probed-transport.ts';
import { turns } from './support/until.ts';

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

function inspected() {
  const frames: RecordedFrame[] = [];
  const stub = connectInMemory(new Inspected(), { wrapTransport: recordFrames((frame) => void frames.push(frame)) });
  const texts = () =>
    frames.map(({ direction, message }) => `${direction} ${formatFrame(describeFrame(message, direction))}`);
  return { stub, frames, texts };
}

describe('a recorder of frames', () => {
  test('tells of each with direction, content, time and connection', async () => {
    const before = performance.now();
    const { stub, frames, texts } = inspected();
    expect(await stub.add(1, 2)).toBe(3);
    expect(frames.map(({ direction, connection, isEarly }) => [direction, connection, isEarly])).toEqual([
      ['up', 1, false],
      ['down', 1, false],
    ]);
    expect(frames[0].timeMs).toBeGreaterThanOrEqual(before);
    expect(frames[1].timeMs).toBeGreaterThanOrEqual(frames[0].timeMs);
    expect(frames[0].message.length).toBe(connection(stub).statistics.bytesSent);
    expect(texts()).toEqual(['up calls, 19 bytes\n  1: add(1, 2)', 'down results, 7 bytes\n  1 = 3']);
  });

  test('counts the connections, and leaves it to them whether they can be probed', async () => {
    const frames: RecordedFrame[] = [];
    const { open, attempts } = probedTransport();
    const wrapTransport = recordFrames((frame) => void frames.push(frame));
    const stub = connectOver<Inspected>(open, 'a test', { wrapTransport, reconnect: { minDelayMs: 0 }, early: false });
    const first = stub.add(1, 2);
    await turns(1);
    attempts[0].opened();
    attempts[0].received(result(1, 3));
    await first;
    attempts[0].closed(1006, '');
    await expect.poll(() => attempts.length).toBe(2);
    attempts[1].opened();
    expect(attempts[1].probes).toBe(1);
    attempts[1].alive();
    const second = stub.add(2, 2);
    await turns(1);
    attempts[1].received(result(2, 4));
    await second;
    expect(frames.map(({ direction, connection }) => `${direction} ${connection}`)).toEqual([
      'up 1',
      'down 1',
      'up 2',
      'down 2',
    ]);
    connection(stub).close();
    expect(attempts[1].closes).toEqual([1000]);
  });

  test('tells of calls that travel with the upgrade, once: where the server takes them, and where it does not', async () => {
    for (const isTaken of [true, false]) {
      const frames: RecordedFrame[] = [];
      const { open, attempts } = probedTransport();
      const stub = connectOver<Inspected>(open, 'a test', {
        wrapTransport: recordFrames((frame) => void frames.push(frame)),
      });
      const call = stub.add(1, 2);
      await turns(1);
      expect(frames).toEqual([]);
      attempts[0].opened(isTaken);
      attempts[0].received(result(1, 3));
      await call;
      expect(frames.map(({ direction, isEarly }) => [direction, isEarly])).toEqual([
        ['up', isTaken],
        ['down', false],
      ]);
      expect(describeFrame(frames[0].message, 'up')).toMatchObject({
        kind: 'calls',
        calls: [{ id: 1, method: 'add' }],
      });
      connection(stub).close();
    }
  });

  test('keeps copies, which nobody changes later', async () => {
    const frames: RecordedFrame[] = [];
    const { open, attempts } = probedTransport();
    const stub = connectOver<Inspected>(open, 'a test', {
      wrapTransport: recordFrames((frame) => void frames.push(frame)),
    });
    stub.add(1, Uint8Array.of(2) as never).catch(() => {});
    await turns(1);
    attempts[0].opened();
    const [sent] = attempts[0].sent;
    const before = [...(sent as Uint8Array)];
    (sent as Uint8Array).fill(0);
    expect([...(frames[0].message as Uint8Array)]).toEqual(before);
    connection(stub).close();
  });

  test('knows of a transport that it is stateless', () => {
    const wrap = recordFrames(() => {});
    const { open } = probedTransport();
    expect(wrap(open).stateless).toBeUndefined();
    expect(wrap(Object.assign(open, { stateless: true })).stateless).toBe(true);
  });
});

describe('a description', () => {
  test('has calls with receiver, path, method, arguments, terms, and marks for what is no value', async () => {
    const { stub, frames, texts } = inspected();
    await withOptions(stub.self(), { timeoutMs: 5000 }).add(stub.numbers().at(0) as never, 2);
    const described = describeFrame(frames[0].message, 'up');
    expect(described).toMatchObject({
      kind: 'calls',
      calls: [
        { id: 1, method: 'self', isStep: true, receiver: { kind: 'connection target' } },
        { id: 2, method: 'numbers', isStep: true },
        { id: 3, method: 'at', args: [0], receiver: { kind: 'result', id: 2 } },
        { id: 4, method: 'add', timeoutMs: 5000, isStep: false, args: [new ByReference('result', 3), 2] },
      ],
    });
    expect(texts()[0]).toMatch(/4: \$1\.add\(\$3, 2\) \(within \d+ ms\)$/m);
  });

  test('reads both ways of a callback, and errors', async () => {
    const { stub, texts } = inspected();
    expect(await stub.ask((question) => question.length)).toBe(4);
    await Promise.resolve(stub.fails()).catch(() => {});
    expect(texts().map((text) => text.split('\n')[1].trim())).toEqual([
      '1: ask(<function 0>)',
      '1: #0("why?")',
      '1 = 4',
      '1 = 4',
      '2: fails()',
      '2 failed: RangeError: no',
    ]);
  });

  test.each([
    ['an empty frame', new Uint8Array(0), 'MALFORMED_FRAME'],
    ['a signal that is not known', sequence(1, [-15]), 'MALFORMED_FRAME'],
    ['a release without its count', sequence(1, [-2, 1]), 'MALFORMED_FRAME'],
    ['a signal of a channel that is not known', sequence(-3, [0, 9]), 'MALFORMED_FRAME'],
    ['an address that leads nowhere', sequence(1, [5, 'a', []]), 'MALFORMED_FRAME'],
    ['an extension that is not known', sequence(1, [0, 'a', [new Extended('unheard', 1)]]), 'MALFORMED_FRAME'],
    ['bytes that are no values', new Uint8Array([1, 0xff, 0xff]), 'MALFORMED_FRAME'],
    ['events that are none', sequence(-6, 'topic', ['a.b', 1], new Uint8Array([0xff])), 'MALFORMED_FRAME'],
  ])('of %s says that it cannot be read', (_name, bytes, code) => {
    expect(describeFrame(bytes, 'up')).toMatchObject({ kind: 'unreadable', code, size: bytes.length });
  });

  test('of text that is no frame shows it as it is', () => {
    const described = describeFrame('ping é', 'down');
    expect(described).toEqual({ kind: 'text', text: 'ping é', size: 7 });
    expect(formatFrame(described)).toBe('text, 7 bytes\n  ping é');
  });

  test('of a frame sent again inside another says no more than that', () => {
    const nested = writeResent(1, [0], writeResent(1, [0], sequence(1, [0, 'a', []])));
    expect(describeFrame(nested, 'up')).toMatchObject({
      kind: 'unreadable',
      message: expect.stringContaining('a frame sent again inside another'),
    });
  });

  test('never has a token, but its length', () => {
    const described = describeFrame(sequence(-5, 0, 'secret'), 'up');
    expect(described).toEqual({ kind: 'token', id: 0, length: 6, size: 15 });
  });

  test('of a part says how many are to come', () => {
    const described = describeFrame(sequence(-2, 3, new Uint8Array(4)), 'down');
    expect(described).toMatchObject({ kind: 'part', remaining: 3, bytes: new Uint8Array(4) });
  });

  test('of a refused frame says because of what', () => {
    const described = describeFrame(sequence(7, [2, ['LIMIT_EXCEEDED', 'too many', 1]]), 'down');
    expect(formatFrame(described)).toMatch(
      /the frame of 7 was refused because of 8: RpcError LIMIT_EXCEEDED: too many/,
    );
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
    [new ByReference('target', 3, ['name']), '<target 3>.name'],
  ])('%o', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });
});
