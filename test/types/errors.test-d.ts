import { type CallOptions, RpcError, type RpcErrorCode, type Stub, withOptions } from '@lumenize/rpc';
import { expectTypeOf, test } from 'vitest';

interface Api {
  increment(by?: number): number;
}

const api = {} as Stub<Api>;

test('an error that was caught is an RpcError with a code, or anything', async () => {
  try {
    await api.increment();
  } catch (error) {
    expectTypeOf(error).toBeUnknown();
    if (error instanceof RpcError) {
      expectTypeOf(error.code).toEqualTypeOf<RpcErrorCode>();
      expectTypeOf(error.cause).toBeUnknown();
      // @ts-expect-error there is no such code
      error.code === 'NO_SUCH_CODE';
    }
  }
  const settled = await api.increment().catch((reason: unknown) => reason as Error);
  expectTypeOf(settled).toEqualTypeOf<number | Error>();
});

test('options of calls are a signal, a timeout and a trace', () => {
  expectTypeOf({ signal: AbortSignal.timeout(5), timeoutMs: 5, traceparent: '' }).toExtend<CallOptions>();
  // @ts-expect-error there is no such option
  ({ timeout: 5 }) satisfies CallOptions;
});

test('a stub with options is of the same type', () => {
  expectTypeOf(withOptions(api, { timeoutMs: 5 })).toEqualTypeOf<Stub<Api>>();
  expectTypeOf(withOptions(api.increment, { timeoutMs: 5 })(1)).resolves.toEqualTypeOf<number>();
});
