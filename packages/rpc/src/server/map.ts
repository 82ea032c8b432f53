import { exceeded, isRefusal, malformed, type RpcError, refusal } from '../errors.ts';
import type { Feature } from '../peer/options.ts';
import type { Peer } from '../peer/peer.ts';
import { isPromise } from '../peer/writer.ts';
import type { ServerAnswers } from './answers.ts';
import { answeredCall, type Running, RunningCall } from './context.ts';
import type { Session } from './session.ts';

/** Operations after which others have their turn, and characters of a callback whose reading counts as one. */
const OPERATIONS_A_TURN = 10_000;
const CHARACTERS_AN_OPERATION = 100;
/** The lists and objects of a callback that are not counted. Others are made for each element, and may be kept for it. */
const SMALL = 16;

/** Runs a recorded callback for an element. */
type Callback = (call: RunningCall, element: unknown, key: unknown) => unknown;

type Callable = (element: unknown, key: unknown) => unknown;

/** Recorded callbacks that have arrived. */
const CALLBACKS = new WeakMap<object, Callback>();

/** Makes a callback of its recording. */
function callbackOf(peer: Peer, parts: unknown[]): Callable {
  if (typeof parts[0] !== 'string') throw malformed('a callback');
  // A target that has a method of that name calls it.
  const callback = (element: unknown, key: unknown) => {
    const call = answeredCall();
    if (call === undefined)
      throw new TypeError('the callback of map() and filter() is for the method that it is passed to');
    return CALLBACKS.get(callback)!(call, element, key);
  };
  register(peer, callback, parts);
  return callback;
}

/** Makes `mapOver` run a recording in place of a callback. */
function register(peer: Peer, callback: object, [text, ...captures]: unknown[]): void {
  let weight: number | undefined;
  CALLBACKS.set(callback, (call, element, key) => {
    const answers = peer.answers as ServerAnswers;
    // Reading changes a frame in place, so that each run needs a fresh one.
    weight ??= weightOf(text as string);
    count(call, weight);
    const [frame, form] = JSON.parse(text as string);
    const running: Running = {
      results: new Map(),
      tail: undefined,
      ageMs: call.running.ageMs,
      target: element,
      captures: [key, ...captures],
      outer: call,
      operations: call.running.operations,
      refused: undefined,
      cost: 0,
    };
    const waits: unknown[] = [];
    for (let at = 1; at < frame.length; at++) {
      count(call, 1);
      const inner = new RunningCall(peer as Session, frame[0] + at - 1, frame[at], running);
      inner.kept = -1;
      const result = answers.begin(inner);
      if (isPromise(result)) waits.push(result);
      running.results.set(inner.callId, result);
    }
    const read = answers.arguments(form, { running, isPlace: false }) as unknown[] | Promise<unknown[]>;
    // What is used for nothing fails the callback all the same.
    return waits.length > 0 || isPromise(read) ? Promise.all([read, ...waits]).then(([[result]]) => result) : read[0];
  });
}

/** Returns the number of operations for which reading a callback counts. */
function weightOf(text: string): number {
  let objects = 0;
  for (const bracket of '[{') {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) objects++;
  }
  return text.length / CHARACTERS_AN_OPERATION + Math.max(objects - SMALL, 0);
}

/**
 * Runs `map` or `filter` over a list, Set, Map, iterator or async iterable with a recorded callback. Returns undefined
 * if it is not called for that.
 * @throws {RpcError} `METHOD_NOT_FOUND` if the receiver is no collection
 */
export function mapOver(
  call: RunningCall,
  receiver: unknown,
  name: string,
  args: unknown[],
): { value: unknown } | undefined {
  const callback = CALLBACKS.get(args[0] as object);
  if (callback === undefined || (name !== 'map' && name !== 'filter')) return undefined;
  const options = args[1] as { settle?: unknown } | undefined;
  const settle = options?.settle === true;
  const keys = receiver instanceof Map ? [...receiver.keys()] : undefined;
  const over = (elements: unknown[]) => runAll(call, elements, keys, callback, name, settle);
  const source = receiver instanceof Map ? receiver.values() : receiver;
  const { [Symbol.asyncIterator]: later, [Symbol.iterator]: now } = Object(source) as Partial<
    AsyncIterable<unknown> & Iterable<unknown>
  >;
  if (typeof later === 'function') return { value: collect(call, source as AsyncIterable<unknown>).then(over) };
  if (typeof source !== 'object' || typeof now !== 'function') {
    throw refusal(
      'METHOD_NOT_FOUND',
      `no method "${name}": ${source === null ? 'null' : typeof source} is no collection`,
    );
  }
  const elements: unknown[] = [];
  for (const element of source as Iterable<unknown>) add(call, elements, element);
  return { value: over(elements) };
}

async function collect(call: RunningCall, iterable: AsyncIterable<unknown>): Promise<unknown[]> {
  const elements: unknown[] = [];
  for await (const element of iterable) {
    call.requireWanted();
    add(call, elements, element);
  }
  return elements;
}

function add({ peer }: RunningCall, elements: unknown[], element: unknown): void {
  const { maxMapElements } = peer.settings.limits;
  if (elements.push(element) > maxMapElements) throw exceeded('maxMapElements', { maxMapElements });
}

/** Counts operations of callbacks, whose number is bounded for each frame. */
function count(call: RunningCall, operations: number): void {
  const { maxMapOperations } = call.peer.settings.limits;
  const counted = call.running.operations;
  counted.count += operations;
  if (counted.count > maxMapOperations) throw exceeded('maxMapOperations', { maxMapOperations });
}

/** Runs the callback for all elements, in order; none waits for another unless too many wait. */
function runAll(
  call: RunningCall,
  elements: unknown[],
  keys: unknown[] | undefined,
  callback: Callback,
  name: string,
  settle: boolean,
): unknown {
  const results: unknown[] = [];
  const { maxCallsInFlight } = call.peer.settings.limits;
  const failed = (reason: unknown): PromiseSettledResult<unknown> => {
    // A limit bounds all of them together.
    if (isRefusal(reason) && (reason as RpcError).code === 'LIMIT_EXCEEDED') throw reason;
    call.peer.failed(reason, call);
    return { status: 'rejected', reason };
  };
  const finish = (settled: unknown[]) => collected(elements, keys, settled, name);
  const { operations } = call.running;
  const run = (from: number): unknown => {
    const until = operations.count + OPERATIONS_A_TURN;
    let waits = 0;
    for (let at = from; at < elements.length; at++) {
      call.requireWanted();
      count(call, 1);
      let result: unknown;
      try {
        result = callback(call, elements[at], keys === undefined ? at : keys[at]);
        if (settle) result = isPromise(result) ? result.then(fulfilled, failed) : fulfilled(result);
      } catch (error) {
        if (!settle) throw error;
        result = failed(error);
      }
      results.push(result);
      if (isPromise(result)) waits++;
      if (waits === maxCallsInFlight || operations.count >= until) {
        return Promise.all(results.slice(from)).then(async (settled) => {
          for (const [offset, value] of settled.entries()) results[from + offset] = value;
          if (operations.count >= until) await new Promise((resolve) => setTimeout(resolve));
          return run(at + 1);
        });
      }
    }
    return results.some(isPromise) ? Promise.all(results).then(finish) : finish(results);
  };
  return run(0);
}

function fulfilled(value: unknown): PromiseSettledResult<unknown> {
  return { status: 'fulfilled', value };
}

function collected(elements: unknown[], keys: unknown[] | undefined, results: unknown[], name: string): unknown {
  const isFilter = name === 'filter';
  const places = results.map((_, at) => at).filter((at) => !isFilter || results[at]);
  const values = isFilter ? elements : results;
  return keys === undefined ? places.map((at) => values[at]) : new Map(places.map((at) => [keys[at], values[at]]));
}

/** Runs the callbacks of `map` and `filter` that clients have recorded. */
export const callbacks: Feature = { revive: { callback: callbackOf } };
