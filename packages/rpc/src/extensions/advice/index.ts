import { CloneError } from '@lumenize/structured-clone';
import { located } from '@lumenize/structured-clone/messages';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { Extension } from '../../session/extension.ts';
import { delayed } from '../../session/outgoing/call.ts';

/**
 * Adds to errors of values that cannot be sent where in the argument or result they are, and what to pass instead; and to those of
 * calls that failed, who waits for them.
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

/** Adds what this library can send and the codec alone cannot. */
function inOurWords(message: string): string {
  return message
    .replace(/yield$/, '$&, or an async generator')
    .replace(/: register the class,/, '$& let it extend RpcTarget,');
}

/** Settles the promise of a result: of a failure later, so that who waits can be found while it rejects. */
function deliver(outcome: Outcome, { resolve, reject }: PromiseWithResolvers<unknown>, name: string): void {
  if (outcome.ok && delayed.outcomes === 0) return resolve(outcome.value);
  delayed.outcomes++;
  const before = Promise.resolve().then(() => {
    if (!outcome.ok) throw locateCaller(outcome.error, name);
  });
  // The engine's own `resolve` leads it from the one promise to who waits for the other.
  const settled = before.then(outcome.ok ? () => resolve(outcome.value) : resolve, reject);
  void settled.then(() => delayed.outcomes--);
}

/** Errors that say already who waits. */
const told = new WeakSet<object>();

/**
 * Adds to an error's stack who waits for the call, and returns the error. Called while its promise is being rejected, where
 * engines of the V8 family know that: so it costs nothing when calls are made, and nothing when they succeed.
 */
function locateCaller(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || told.has(error)) return error;
  told.add(error);
  // The message, this function and the handler that called it; and on the way to who waits, what the platform itself runs.
  const waiting =
    new Error().stack
      ?.split('\n')
      .slice(3)
      .filter((line) => /^\s+at (?!.*node:internal)/.test(line)) ?? [];
  if (waiting.length === 0) return error;
  const value = [error.stack, `    at remote ${name}()`, ...waiting].join('\n');
  // A frozen error stays as it is.
  Reflect.defineProperty(error, 'stack', { value, configurable: true, writable: true });
  return error;
}
