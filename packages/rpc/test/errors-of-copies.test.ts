import { expect, test, vi } from 'vitest';
import { RpcError } from '../src/errors.ts';
import { connectInMemory, RpcTarget } from '../src/memory.ts';

// A bundle for Workers beside one for pages, or a dependency that brings its own version.
vi.resetModules();
const copy = await import('../src/errors.ts');

class Refusal extends RpcError {}

test('an error of another copy of this package is an RpcError', () => {
  expect(copy.RpcError).not.toBe(RpcError);
  expect(new copy.RpcError('DENIED', 'no') instanceof RpcError).toBe(true);
  expect(new RpcError('DENIED', 'no') instanceof copy.RpcError).toBe(true);
});

test('what only looks like one is none, and a class that extends it has only its own', () => {
  const lookalike = Object.assign(new Error('no'), { name: 'RpcError', code: 'DENIED', data: undefined });
  for (const value of [lookalike, {}, null, undefined, 'DENIED', RpcError.prototype.constructor]) {
    expect((value as unknown) instanceof RpcError).toBe(false);
  }
  expect(new Refusal('DENIED', 'no') instanceof RpcError).toBe(true);
  expect(new Refusal('DENIED', 'no') instanceof Refusal).toBe(true);
  expect(new RpcError('DENIED', 'no') instanceof Refusal).toBe(false);
});

test('a method that throws an error of another copy refuses its caller as with one of this copy', async () => {
  class Door extends RpcTarget {
    enter(): void {
      throw new copy.RpcError('OVERLOADED', 'too many', { data: { retryAfterMs: 5 } });
    }
  }
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  using door = connectInMemory(new Door());
  const error: unknown = await door.enter().catch((reason) => reason);
  expect(error).toMatchObject({ code: 'OVERLOADED', retryable: true, data: { retryAfterMs: 5 } });
  expect(logged).not.toHaveBeenCalled();
});
