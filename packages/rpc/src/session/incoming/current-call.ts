import { createAsyncStorage } from '#platform';
import type { AsyncStorage } from './async-storage.ts';
import type { CallContext, RunningCall } from './call-context.ts';
import { noteThrown } from './thrown.ts';

/**
 * The platform's way to know after an `await` which call is being answered. Node and Workers have one, browsers do not
 * yet.
 */
let storage: AsyncStorage<RunningCall> | undefined;
let current: RunningCall | undefined;

/**
 * Makes calls known after an `await` too, from now on, if the platform supports that. Programs that do not need this
 * load no code for it.
 */
export function followCalls(): void {
  storage ??= createAsyncStorage<RunningCall>();
}

/**
 * Runs a method for a call. The method can ask for the call until its first `await`. All code that runs for a call goes
 * through this function or `runThroughout`, so this is the place that checks whether it may still run after any wait.
 * With `isOurs`, the code belongs to the library, and its errors are not marked as thrown by a method.
 * @throws {RpcError} if the call is over; nothing runs then
 */
export function runIn<Args extends unknown[], Result>(
  call: RunningCall,
  run: (...args: Args) => Result,
  receiver: unknown,
  args: Args,
  isOurs = false,
  within?: AsyncStorage<RunningCall>,
): Result {
  const { over } = call;
  if (over !== undefined) throw over;
  call.hasRun = true;
  const outer = current;
  current = call;
  try {
    return within === undefined
      ? Reflect.apply(run, receiver, args)
      : within.run(call, () => Reflect.apply(run, receiver, args));
  } catch (error) {
    throw isOurs ? error : noteThrown(error);
  } finally {
    current = outer;
  }
}

/**
 * Runs a method as `runIn` does, and lets it ask for the call after an `await` too. In a Worker, that costs more than
 * all the rest of a call.
 * @throws {RpcError} as `runIn` does
 */
export function runThroughout<Args extends unknown[], Result>(
  call: RunningCall,
  run: (...args: Args) => Result,
  receiver: unknown,
  args: Args,
  isOurs?: boolean,
): Result {
  return runIn(call, run, receiver, args, isOurs, storage);
}

/** Begins what runs for a call after its answer, and lets it ask for the call. */
export function runBehind(call: RunningCall, begin: () => unknown): void {
  if (storage === undefined) begin();
  else storage.run(call, begin);
}

/**
 * Returns the call that is being answered, also after an `await` if the platform supports that; undefined if there is
 * none.
 */
export function answeredCall(): RunningCall | undefined {
  return current ?? storage?.getStore();
}

/**
 * Returns the context of the call that the method is answering, also after an `await`. Pages, and Workers without
 * `nodejs_compat`, do not support that: there a method must call this function before its first `await`.
 * @throws {Error} if no call is being answered
 */
export function callContext<Identity = unknown>(): CallContext<Identity> {
  const call = answeredCall();
  if (call !== undefined) return call as unknown as CallContext<Identity>;
  const after = storage === undefined ? 'a Worker needs nodejs_compat' : 'a method has to be async, and no getter';
  throw new Error(`callContext() is for methods while they answer a call; to ask after an await, ${after}`);
}
