import { type Stub, withOptions } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { type ObserveCall, type ObservedCall, type ObservedEnd, observeCalls } from '@lumenize/rpc/observe';
import { callContext, RpcError } from '@lumenize/rpc/server';
import { describe, expect, test } from 'vitest';

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

class Shop extends RpcTarget {
  get name(): string {
    return 'shop';
  }
  price(of: string): number {
    if (of === 'nothing') throw new RangeError('there is no such thing');
    return of.length;
  }
  async slowly(text: string): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return text;
  }
  shelf(): Shelf {
    return new Shelf();
  }
  refused(): never {
    throw new RpcError('DENIED', 'not today');
  }
  symbol(): unknown {
    return Symbol('no');
  }
  blob(): Blob {
    return new Blob(['bytes']);
  }
  ask(callback: (question: string) => number): Promise<number> {
    return Promise.resolve(callback('how many?'));
  }
  askTraced(callback: (question: string) => number): Promise<number> {
    return Promise.resolve(withOptions(callback, { traceparent: TRACE })('how many?'));
  }
  trace(): string | undefined {
    return callContext().traceparent;
  }
}

class Shelf extends RpcTarget {
  count(): number {
    return 3;
  }
}

interface Observed extends Partial<ObservedEnd> {
  readonly call: ObservedCall;
}

/** Notes all calls, in the order in which they begin. */
function record(): { calls: Observed[]; observe: ObserveCall } {
  const calls: Observed[] = [];
  return {
    calls,
    observe: (call) => {
      const observed: Observed = { call };
      calls.push(observed);
      return { end: (end) => void Object.assign(observed, end) };
    },
  };
}

function observed(): { stub: Stub<Shop>; out: Observed[]; in: Observed[]; errors: unknown[] } {
  const { calls, observe } = record();
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const stub = connectInMemory(new Shop(), { observe: observeCalls(observe), onError });
  return {
    stub,
    errors,
    get out() {
      return calls.filter(({ call }) => call.direction === 'outgoing');
    },
    get in() {
      return calls.filter(({ call }) => call.direction === 'incoming');
    },
  };
}

describe('an observer', () => {
  test('is told once of a call on a result that has arrived', async () => {
    const seen = observed();
    using stub = seen.stub;
    const shelf = stub.shelf();
    await shelf;
    expect(await shelf.count()).toBe(3);
    expect(seen.out.map(({ call }) => call.method)).toEqual(['shelf', 'count']);
  });

  test('is told of the trace of a call that a client answers', async () => {
    const seen = observed();
    using stub = seen.stub;
    expect(await stub.askTraced(() => 7)).toBe(7);
    expect(seen.in.map(({ call }) => call.traceparent)).toEqual([undefined, TRACE]);
  });

  test('is told of a call on both sides: what is called, with what, and how it ends', async () => {
    const seen = observed();
    using stub = seen.stub;
    expect(await stub.price('tea')).toBe(3);
    const end = { outcome: 'value', value: 3, error: undefined, code: undefined, durationMs: expect.any(Number) };
    const what = { method: 'price', isRead: false, args: ['tea'], traceparent: undefined };
    expect(seen.out).toEqual([
      {
        call: { ...what, direction: 'outgoing', address: 'a target in memory', caller: undefined, callId: undefined },
        ...end,
        callBytes: expect.any(Number),
        resultBytes: expect.any(Number),
      },
    ]);
    const caller = expect.objectContaining({ connectionId: expect.any(String) });
    expect(seen.in).toEqual([
      {
        call: { ...what, direction: 'incoming', address: undefined, caller, callId: 1 },
        ...end,
        callBytes: expect.any(Number),
        resultBytes: expect.any(Number),
      },
    ]);
    expect(seen.out[0].durationMs).toBeGreaterThanOrEqual(0);
  });

  test('is told what is read, without arguments', async () => {
    const seen = observed();
    using stub = seen.stub;
    expect(await stub.name).toBe('shop');
    for (const { call, value } of [...seen.out, ...seen.in]) {
      expect(call).toMatchObject({ method: 'name', isRead: true, args: undefined });
      expect(value).toBe('shop');
    }
    expect(seen.out.length + seen.in.length).toBe(2);
  });

  test('is told of errors: those of methods, with their class, those of the library by their code', async () => {
    const seen = observed();
    using stub = seen.stub;
    await Promise.allSettled([stub.price('nothing'), stub.refused(), stub.symbol()]);
    for (const calls of [seen.out, seen.in]) {
      expect(calls).toMatchObject([
        { outcome: 'error', code: undefined, error: { name: 'RangeError', message: 'there is no such thing' } },
        { outcome: 'error', code: 'DENIED', error: { message: 'not today' } },
        { outcome: 'error', code: 'NOT_CLONEABLE' },
      ]);
    }
    for (const { resultBytes } of seen.in) expect(resultBytes).toBeGreaterThan(5);
  });

  test('is told of what is not called at all: arguments that cannot be sent, a connection that was closed', async () => {
    const seen = observed();
    await Promise.allSettled([seen.stub.price(Symbol('no') as never)]);
    seen.stub[Symbol.dispose]();
    await Promise.allSettled([seen.stub.price('tea')]);
    expect(seen.out).toMatchObject([{ code: 'NOT_CLONEABLE' }, { code: 'NOT_EXECUTED' }]);
    expect(seen.in).toEqual([]);
  });

  test('is told how long calls took, and what they and their results measured', async () => {
    const seen = observed();
    using stub = seen.stub;
    const text = 'x'.repeat(1000);
    await stub.slowly(text);
    await stub.blob();
    for (const { durationMs, callBytes, resultBytes } of [seen.out[0], seen.in[0]]) {
      expect(durationMs).toBeGreaterThan(3);
      for (const bytes of [callBytes!, resultBytes!]) {
        expect(bytes).toBeGreaterThan(1000);
        expect(bytes).toBeLessThan(1050);
      }
    }
    expect(seen.in[1]).toMatchObject({ outcome: 'value', resultBytes: expect.any(Number) });
  });

  test('is told of each step of a chain where it is made, and of the chain where it runs', async () => {
    const seen = observed();
    using stub = seen.stub;
    expect(await stub.shelf().count()).toBe(3);
    expect(seen.out.map(({ call, outcome }) => [call.method, outcome])).toEqual([
      ['shelf', 'step'],
      ['count', 'value'],
    ]);
    expect(seen.in).toMatchObject([{ call: { method: 'shelf.count', args: [] }, outcome: 'value', value: 3 }]);
  });

  test('is told of arguments that JSON cannot carry, when they have been read', async () => {
    const { calls, observe } = record();
    using stub = connectInMemory(new Shop(), { observe: observeCalls(() => ({ traceparent: TRACE }), observe) });
    await stub.slowly(new Date(0) as never);
    expect(calls.map(({ call }) => [call.direction, call.args, call.traceparent])).toEqual([
      ['outgoing', [new Date(0)], TRACE],
      ['incoming', [new Date(0)], TRACE],
    ]);
  });

  test('is told of callbacks, where they are called and where they run', async () => {
    const { calls, observe } = record();
    using stub = connectInMemory(new Shop(), { observe: observeCalls(observe) });
    expect(await stub.ask((question) => question.length)).toBe(9);
    expect(calls.map(({ call, value }) => [call.direction, call.method, value])).toEqual([
      ['outgoing', 'ask', 9],
      ['incoming', 'ask', 9],
      ['outgoing', 'function', 9],
      ['incoming', 'function', 9],
    ]);
  });

  test('gives a call its trace, and finds that of an incoming one', async () => {
    const begun: (string | undefined)[] = [];
    using stub = connectInMemory(new Shop(), {
      observe: observeCalls(({ direction, traceparent }) => {
        begun.push(traceparent);
        return direction === 'outgoing' ? { traceparent: TRACE } : undefined;
      }),
    });
    expect(await stub.trace()).toBe(TRACE);
    const other = TRACE.replace('4bf', '5bf');
    expect(await withOptions(stub, { traceparent: other, timeoutMs: 10_000 }).trace()).toBe(TRACE);
    expect(begun).toEqual([undefined, TRACE, other, TRACE]);
  });

  test('lets go of a trace that cannot be sent', async () => {
    using stub = connectInMemory(new Shop(), { observe: observeCalls(() => ({ traceparent: 'x'.repeat(1000) })) });
    expect(await stub.trace()).toBe(undefined);
  });

  test.each([
    'nonsense',
    TRACE.toUpperCase(),
    TRACE.replace('00-', 'ff-'),
    `${TRACE}-more`,
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
  ])('and methods take the traceparent %s for none, as it is invalid', async (traceparent) => {
    const seen = observed();
    using stub = seen.stub;
    expect(await withOptions(stub, { traceparent }).trace()).toBe(undefined);
    expect(seen.in[0].call.traceparent).toBe(undefined);
  });

  test('takes the traceparent of a later version, which may be longer', async () => {
    using stub = observed().stub;
    const traceparent = `${TRACE.replace('00-', '01-')}-more`;
    expect(await withOptions(stub, { traceparent }).trace()).toBe(traceparent);
  });

  test('runs what answers a call', async () => {
    const order: string[] = [];
    const wrap =
      (name: string): ObserveCall =>
      ({ direction }) =>
        direction === 'outgoing'
          ? undefined
          : {
              run(answer) {
                order.push(`${name} begins`);
                answer();
                order.push(`${name} ends`);
              },
            };
    using stub = connectInMemory(new Shop(), { observe: observeCalls(wrap('outer'), wrap('inner')) });
    expect(await stub.price('tea')).toBe(3);
    expect(order).toEqual(['outer begins', 'inner begins', 'inner ends', 'outer ends']);
  });

  const broken: Record<string, ObserveCall> = {
    'throws when a call begins': () => {
      throw new Error('broken');
    },
    'throws when it ends': () => ({
      end() {
        throw new Error('broken');
      },
    }),
    'throws instead of running it': ({ direction }) => ({
      run() {
        throw new Error('broken');
      },
      end() {
        if (direction === 'outgoing') throw new Error('broken');
      },
    }),
    'never runs it': () => ({
      run() {},
      end() {
        throw new Error('broken');
      },
    }),
    'runs it twice': () => ({
      run(answer) {
        answer();
        answer();
        throw new Error('broken');
      },
      end() {
        throw new Error('broken');
      },
    }),
  };
  test.each(Object.entries(broken))(
    'that %s changes nothing for the call and for other observers, and is told of',
    async (_what, observe) => {
      const told: unknown[][] = [];
      let ran = 0;
      class Counter extends RpcTarget {
        increment(): number {
          return ++ran;
        }
      }
      const before = record();
      const after = record();
      using stub = connectInMemory(new Counter(), {
        observe: observeCalls(before.observe, observe, after.observe),
        onError: (error, method) => told.push([String(error), method]),
      });
      expect(await stub.increment()).toBe(1);
      expect(ran).toBe(1);
      expect(told.length).toBeGreaterThanOrEqual(2);
      for (const one of told) expect(one).toEqual(['Error: broken', 'observe']);
      for (const { calls } of [before, after]) expect(calls).toMatchObject([{ value: 1 }, { value: 1 }]);
    },
  );
});
