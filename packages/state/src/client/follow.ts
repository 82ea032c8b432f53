import { type Position, placeOf, type Remote, type Subscription } from '@lumenize/rpc';
import type { RecordTypes, StateChange } from '../records.ts';
import type { Draft } from './draft.ts';
import { FollowedState } from './followed-state.ts';
import type { StateStore } from './store.ts';

/** Calls the method that returns a `Follow`, with the position behind what is known. */
export type OpenState<Target extends object, Records extends RecordTypes> = (
  stub: Target,
  since: Position | undefined,
) => PromiseLike<Subscription<StateChange<Records>>>;

/** Options of `follow`. */
export interface FollowOptions {
  /** False if nothing is followed before `open()`. @default true */
  readonly open?: boolean;
}

/**
 * Follows the state of an object, and returns a store of it: `follow(board, (api, since) => api.follow(since))`. The
 * store goes on when a lost connection is open again, with what has changed meanwhile.
 * @throws {TypeError} if the value is not a stub of a client's connection
 */
export function follow<Target extends object, Records extends RecordTypes>(
  stub: Target,
  open: OpenState<Target, Records>,
  options: FollowOptions = {},
): StateStore<Records> {
  const store = new FollowedState(stub, (since) => open(stub, since) as PromiseLike<Subscription<unknown>>);
  if (options.open ?? true) store.open();
  return store as unknown as StateStore<Records>;
}

/** The arguments of a method as values: a stub also takes results of calls in their place. */
export type Values<Args extends unknown[]> = { [Index in keyof Args]: ValueOf<Args[Index]> };

type ValueOf<Arg> = [Extract<Arg, Remote<unknown>>] extends [never]
  ? Arg
  : Arg extends Remote<infer Value>
    ? Value
    : never;

/**
 * Returns a function that calls a method, and shows what the call will change at once. `guess` makes the change in the
 * store. It is made again when the records that it has to do with change otherwise, and taken back when the object has
 * made it, or has not. A guess that throws shows nothing; its call is made all the same.
 * @throws {TypeError} if the store is not one of `follow()`, or the method is none of a stub
 */
export function change<Records extends RecordTypes, Args extends unknown[], Result extends PromiseLike<unknown>>(
  store: StateStore<Records>,
  method: (...args: Args) => Result,
  guess: (state: Draft<Records>, ...args: Values<Args>) => void,
): (...args: Values<Args>) => Result {
  if (!(store instanceof FollowedState)) throw new TypeError('change() needs a store that follow() returned');
  const name = placeOf(method).path.at(-1) ?? '';
  return (...args) => {
    let result!: Result;
    store.expect(
      name,
      args,
      (draft) => guess(draft as unknown as Draft<Records>, ...args),
      () => {
        result = method(...(args as Args));
        return { promise: result, callId: placeOf(result).callId };
      },
    );
    return result;
  };
}
