import { CloneError } from '@lumenize/structured-clone';
import { located } from '@lumenize/structured-clone/messages';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { Extension } from '../../session/extension.ts';
import { delayed, type Waiter } from '../../session/outgoing/call.ts';

/**
 * Adds advice to errors. The error for a value that cannot be sent says where in the argument or result the value is,
 * and what to pass instead. The stack of a failed call's error shows the code that waits for the call.
 */
export const advice: Extension = {
  name: 'advice',
  locate(error, value, types) {
    const found = located(error, value, types);
    if (found instanceof CloneError) found.message = inOurWords(found.message);
    return found;
  },
  deliver,
};

/** Adds the alternatives that this library can send and the codec alone cannot. */
function inOurWords(message: string): string {
  return message
    .replace(/yield$/, '$&, or an async generator')
    .replace(/: register the class,/, '$& let it extend RpcTarget (of one copy of the package),');
}

/** Settles the promise of a result. Delays a failure, so that the waiting code can be found while it rejects. */
function deliver(outcome: Outcome, { resolve, reject }: Waiter, name: string): void {
  if (outcome.ok && delayed.outcomes === 0) return resolve(outcome.value);
  delayed.outcomes++;
  const before = Promise.resolve().then(() => {
    if (!outcome.ok) throw locateCaller(outcome.error, name);
  });
  // The engine follows its own `resolve` from this promise to the code that waits for the other one.
  const settled = before.then(outcome.ok ? () => resolve(outcome.value) : resolve, reject);
  void settled.then(() => delayed.outcomes--);
}

/** Errors whose stacks already show the code that waits. */
const told = new WeakSet<object>();

/**
 * Adds the code that waits for the call to an error's stack, and returns the error. Must be called while the call's
 * promise is being rejected, because engines of the V8 family know that code then. So it costs nothing when a call is
 * made, and nothing when a call succeeds.
 */
function locateCaller(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || told.has(error)) return error;
  told.add(error);
  // Skips the message, this function and the handler that called it, and then the platform's own lines.
  const waiting =
    new Error().stack
      ?.split('\n')
      .slice(3)
      .filter((line) => /^\s+at (?!.*node:internal)/.test(line)) ?? [];
  if (waiting.length === 0) return error;
  const value = [error.stack, `    at remote ${name}()`, ...waiting].join('\n');
  // Leaves the stack of a frozen error unchanged, and does not throw.
  Reflect.defineProperty(error, 'stack', { value, configurable: true, writable: true });
  return error;
}
