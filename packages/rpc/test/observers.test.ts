import { connect, type Stub, withOptions } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import {
  type CallLine,
  type CallLogger,
  countCalls,
  forwardTraces,
  type LogOptions,
  logCalls,
  type ObserveCall,
  observeCalls,
} from '@lumenize/rpc/observe';
import { connectPort, servePort } from '@lumenize/rpc/port';
import { callContext, RpcError } from '@lumenize/rpc/server';
import { describe, expect, test } from 'vitest';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACE = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

class Shop extends RpcTarget {
  price(of: string): number {
    if (of === 'nothing') throw new RangeError('there is no such thing');
    if (of.startsWith('made up')) throw new RpcError(of as 'DENIED', 'a code that there is none of');
    if (of === 'secret') throw new RpcError('DENIED', 'not for you');
    return of.length;
  }
  async slowly(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 6));
  }
  self(): this {
    return this;
  }
}

/** Only what one side sees, so that lines are not there twice. */
function only(direction: 'outgoing' | 'incoming', observe: ObserveCall): ObserveCall {
  return (call) => (call.direction === direction ? observe(call) : undefined);
}

type Line = [level: string, message: string, fields: CallLine];

function logged(direction: 'outgoing' | 'incoming', options?: LogOptions): { stub: Stub<Shop>; lines: Line[] } {
  const lines: Line[] = [];
  const at = (level: string) => (fields: CallLine, message: string) => void lines.push([level, message, fields]);
  const logger: CallLogger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const observe = observeCalls(only(direction, logCalls(logger, options)));
  return { stub: connectInMemory(new Shop(), { observe }), lines };
}

describe('logCalls()', () => {
  test('logs a line for each call, and no values', async () => {
    const { stub, lines } = logged('incoming');
    await withOptions(stub, { traceparent: TRACE }).price('tea');
    expect(lines).toEqual([
      [
        'info',
        'incoming call done',
        {
          direction: 'incoming',
          method: 'price',
          outcome: 'value',
          durationMs: expect.any(Number),
          callBytes: expect.any(Number),
          resultBytes: expect.any(Number),
          callId: 1,
          connectionId: expect.any(String),
          traceId: TRACE_ID,
        },
      ],
    ]);
    expect(JSON.stringify(lines)).not.toContain('tea');
  });

  test('logs at error what a method threw, and at warn what it refused', async () => {
    for (const direction of ['incoming', 'outgoing'] as const) {
      const { stub, lines } = logged(direction);
      await Promise.allSettled([stub.price('nothing'), stub.price('secret')]);
      expect(lines).toMatchObject([
        ['error', `${direction} call failed`, { method: 'price', error: 'RangeError: there is no such thing' }],
        ['warn', `${direction} call failed`, { code: 'DENIED', error: 'RpcError: not for you' }],
      ]);
    }
  });

  test('logs values where it is told to', async () => {
    const { stub, lines } = logged('outgoing', { values: true, level: 'debug' });
    await stub.price('tea');
    expect(lines).toMatchObject([['debug', 'outgoing call done', { args: ['tea'], value: 3 }]]);
  });

  test('of calls that succeed it logs a share, and all that were slow or failed', async () => {
    for (const [slowMs, methods] of [
      [60_000, ['price']],
      [0, ['price', 'slowly']],
    ] as const) {
      const { stub, lines } = logged('outgoing', { sample: 0, slowMs });
      await Promise.allSettled([stub.price('nothing')]);
      await stub.slowly();
      expect(lines.map(([, , { method }]) => method)).toEqual(methods);
    }
    const half = logged('outgoing', { sample: 0.5 });
    for (let call = 0; call < 200; call++) await half.stub.price('tea');
    expect(half.lines.length).toBeGreaterThan(50);
    expect(half.lines.length).toBeLessThan(150);
  });

  test('logs the calls that a filter lets pass, also of those that failed', async () => {
    const { stub, lines } = logged('incoming', {
      filter: ({ method, args }, { code }) => method !== 'self' && args?.[0] !== 'quiet' && code !== 'DENIED',
    });
    await Promise.allSettled([stub.self(), stub.price('quiet'), stub.price('tea'), stub.price('secret')]);
    await Promise.allSettled([stub.price('nothing')]);
    expect(lines).toMatchObject([
      ['info', 'incoming call done', { method: 'price' }],
      ['error', 'incoming call failed', { method: 'price' }],
    ]);
  });

  test('logs an error once beside onError, with a filter of what that was told of', async () => {
    const lines: string[] = [];
    const told = new WeakSet<object>();
    const line = ({ method, error }: CallLine) => void lines.push(`logCalls: ${method} ${error ?? 'done'}`);
    const filter: LogOptions['filter'] = (_call, { error }) => !told.has(Object(error));
    const log = logCalls({ debug: line, info: line, warn: line, error: line }, { filter });
    const { port1, port2 } = new MessageChannel();
    servePort(port1, new Shop(), {
      observe: observeCalls(log),
      onError(error, method) {
        told.add(Object(error));
        lines.push(`onError: ${method} ${error}`);
      },
    });
    using stub = connectPort<Shop & { missing(): void }>(port2);
    for (const call of [stub.price('tea'), stub.price('nothing'), stub.price('secret'), stub.missing()]) {
      await call.then(undefined, () => {});
    }
    expect(lines.sort()).toEqual([
      expect.stringMatching(/^logCalls: missing RpcError: no method/),
      'logCalls: price done',
      'onError: price RangeError: there is no such thing',
      'onError: price RpcError: not for you',
    ]);
  });

  test('says where a call went, without the query and the password of the URL', async () => {
    const lines: CallLine[] = [];
    const line = (fields: CallLine) => void lines.push(fields);
    const observe = observeCalls(logCalls({ debug: line, info: line, warn: line, error: line }));
    const url = 'ws://me:secret@127.0.0.1:1/rpc/shop/main?key=secret';
    using stub = connect<Shop>(url, { observe, maxWaitMs: 0 });
    await expect(stub.price('tea')).rejects.toMatchObject({ code: 'NOT_EXECUTED' });
    expect(lines).toMatchObject([{ method: 'price', code: 'NOT_EXECUTED', address: 'ws://127.0.0.1:1/rpc/shop/main' }]);
    expect(lines[0].error).not.toContain('secret');
  });

  test('cuts names that are too long', async () => {
    const { stub, lines } = logged('incoming');
    const untyped = stub as unknown as Record<string, () => Promise<void>>;
    await expect(untyped['x'.repeat(5000)]()).rejects.toThrow('no method');
    expect(lines[0][2].method).toBe('x'.repeat(100));
  });
});

describe('countCalls()', () => {
  test('counts codes that the other side has made up as errors of its own', async () => {
    const counter = countCalls();
    using stub = connectInMemory(new Shop(), { observe: observeCalls(counter.observe) });
    await Promise.allSettled(['made up 1', 'made up 2', 'secret'].map((of) => stub.price(of)));
    expect(counter.incoming.errors).toEqual({ thrown: 2, DENIED: 1 });
  });

  test('counts calls by outcome, with their sizes and times', async () => {
    const counter = countCalls();
    const stub = connectInMemory<Shop>(new Shop(), { observe: observeCalls(counter.observe) });
    const calls = [stub.price('tea'), stub.price('nothing'), stub.price('secret'), stub.self().slowly()];
    expect(counter.outgoing).toMatchObject({ inFlight: 5, values: 0, duration: { count: 0, meanMs: 0 } });
    await Promise.allSettled(calls);
    expect(counter.outgoing).toMatchObject({
      inFlight: 0,
      values: 2,
      steps: 1,
      errors: { thrown: 1, DENIED: 1 },
      duration: { count: 4 },
    });
    expect(counter.incoming).toMatchObject({ inFlight: 0, values: 2, steps: 0, errors: { thrown: 1, DENIED: 1 } });
    for (const { callBytes, resultBytes, duration } of [counter.outgoing, counter.incoming]) {
      expect(callBytes).toBeGreaterThan(20);
      expect(resultBytes).toBeGreaterThan(2);
      expect(duration.maxMs).toBeGreaterThan(4);
      expect(duration.meanMs).toBeLessThan(duration.maxMs);
      expect(duration.histogram.reduce((sum, { count }) => sum + count, 0)).toBe(duration.count);
      expect(duration.histogram.at(-1)!.upToMs).toBeGreaterThanOrEqual(duration.maxMs);
    }
  });
});

describe('forwardTraces()', () => {
  test('passes the trace of a call on to the calls that its method makes, also after an await', async () => {
    class Back extends RpcTarget {
      trace(): string | undefined {
        return callContext().traceparent;
      }
    }
    const observe = observeCalls(forwardTraces());
    using back = connectInMemory<Back>(new Back(), { observe });
    class Front extends RpcTarget {
      async traces(): Promise<unknown[]> {
        const first = await back.trace();
        const own = TRACE.replace('4bf', '5bf');
        return [first, await back.trace(), await withOptions(back, { traceparent: own }).trace()];
      }
    }
    using front = connectInMemory<Front>(new Front());
    expect(await withOptions(front, { traceparent: TRACE }).traces()).toEqual([
      TRACE,
      TRACE,
      TRACE.replace('4bf', '5bf'),
    ]);
    expect((await front.traces()).slice(0, 2)).toEqual([undefined, undefined]);
    expect(await back.trace()).toBe(undefined);
  });
});

test('what an observer runs is run once, also where it throws, and that is no fault of the observer', async () => {
  let runs = 0;
  class Failing extends RpcTarget {
    fails(): never {
      runs++;
      throw new RangeError('thrown by the method');
    }
  }
  const told: unknown[] = [];
  using stub = connectInMemory(new Failing(), {
    observe: observeCalls(() => ({ run: (answer) => answer() })),
    onError: (_error, method) => told.push(method),
  });
  await expect(stub.fails()).rejects.toThrow('thrown by the method');
  expect({ runs, told }).toEqual({ runs: 1, told: ['fails'] });
});
