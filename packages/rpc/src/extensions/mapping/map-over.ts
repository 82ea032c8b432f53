import { exceeded } from '../../protocol/errors.ts';
import type { MappingName } from '../../protocol/recording.ts';
import type { Outcome, Pending } from '../../protocol/result-frame.ts';
import type { RunningCall } from '../../session/incoming/call-context.ts';
import { outcomeOf, whenAll } from '../../session/incoming/perform.ts';
import { type Begun, LONG, OPERATIONS_A_TURN, type Work } from '../../session/incoming/turns.ts';
import { isTarget } from '../../session/references/by-reference.ts';
import type { Performer } from '../../session/settings.ts';

/** The elements that `map` or `filter` runs over. */
interface Elements {
  elements: unknown[];
  /** The keys of a Map, whose result is a Map, too. In other collections, the key of an element is its index. */
  keys?: unknown[] | undefined;
}

/** Runs a callback for one element. */
export type RunElement = (element: Pending, key: unknown) => Pending;

/** One run of `map` or `filter` over elements. */
export interface MapTask {
  readonly name: MappingName;
  readonly run: RunElement;
  /** True if each result tells whether its element succeeded, so that one failure does not fail the others. */
  readonly settle: boolean;
  readonly call: RunningCall;
  readonly performer: Performer;
}

/**
 * Returns true if callbacks have begun as many operations as calls may run. A callback then begins no other operation,
 * and a `map` no other callback, until one of its own has settled. So each goes on, also inside of another one.
 */
export function isFull({ incoming: { waiting } }: Performer): boolean {
  return waiting.mapped >= waiting.limits.maxCallsInFlight;
}

/**
 * Runs a callback for each element of a list, Map, Set, iterator or async iterable. Begins the runs in order. No run
 * waits for another, unless too many operations are running. Returns undefined if the receiver is none of these.
 * @throws {RpcError} `LIMIT_EXCEEDED`
 */
export function mapOver(receiver: unknown, task: MapTask): Pending | undefined {
  const found = elementsOf(receiver, task);
  if (!(found instanceof Promise)) return found && mapElements(found, task);
  return found.then(
    (elements) => mapElements({ elements }, task),
    (error) => ({ ok: false, error }),
  );
}

function mapElements(elements: Elements, task: MapTask): Pending {
  task.call.made ??= [];
  const mapping = new Mapping(elements, task);
  task.performer.turns!.take(mapping);
  return mapping.pending;
}

/** Runs a callback for each element. If a run has to wait, the next element begins in a turn of its own. */
class Mapping implements Work {
  readonly #from: Elements;
  readonly #task: MapTask;
  readonly #outcomes: Pending[] = [];
  /** The number of runs that have not settled. */
  #running = 0;
  /** True while the next run waits for another to settle, outside of the queue. */
  #isParked = false;
  #later: PromiseWithResolvers<Outcome> | undefined;
  #result: Pending | undefined;

  constructor(from: Elements, task: MapTask) {
    this.#from = from;
    this.#task = task;
  }

  get isDone(): boolean {
    return this.#isParked || this.#result !== undefined;
  }

  /** The results of all elements. */
  get pending(): Pending {
    if (this.#result !== undefined) return this.#result;
    this.#later ??= Promise.withResolvers();
    return this.#later.promise;
  }

  go(): Begun {
    try {
      return this.#goThrough();
    } catch (error) {
      // Waits for the runs that have begun: what they return is let go of with the result.
      return this.#end(whenAll(this.#outcomes, () => ({ ok: false, error })));
    }
  }

  #goThrough(): Begun {
    const { elements, keys } = this.#from;
    const { call, performer, run, settle } = this.#task;
    const before = performer.operations;
    for (let index = this.#outcomes.length; index < elements.length; index++) {
      const { over } = call;
      if (over !== undefined) throw over;
      if (performer.operations - before >= OPERATIONS_A_TURN) return LONG;
      this.#isParked = this.#running > 0 && isFull(performer);
      if (this.#isParked) return undefined;
      const outcome = run(outcomeOf(elements[index]), keys === undefined ? index : keys[index]);
      this.#outcomes.push(outcome);
      if (outcome instanceof Promise) {
        this.#follow(outcome);
        if (index < elements.length - 1) return outcome;
      }
      // Stops at the first failure, as a local `map` stops when its callback throws.
      else if (!outcome.ok && !settle) break;
    }
    return this.#end(whenAll(this.#outcomes, (settled) => resultOf(settled, elements, keys, this.#task)));
  }

  /** Continues with the next element when a run has settled for which it had to wait. */
  #follow(outcome: Promise<Outcome>): void {
    this.#running++;
    void outcome.then(() => {
      this.#running--;
      if (!this.#isParked) return;
      this.#isParked = false;
      this.#task.performer.turns!.take(this);
    });
  }

  drop(): void {
    if (!this.isDone) this.go();
  }

  #end(result: Pending): Begun {
    this.#result = result;
    this.#later?.resolve(result);
    return result instanceof Promise ? result : undefined;
  }
}

function resultOf(outcomes: Outcome[], elements: unknown[], keys: unknown[] | undefined, task: MapTask): Outcome {
  const { call, name, performer, settle } = task;
  const failed = settle ? undefined : outcomes.find(({ ok }) => !ok);
  if (failed !== undefined) return failed;
  const values: unknown[] = [];
  const places: unknown[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if (!outcome.ok) performer.session.onError(outcome.error, name, call);
    const value = outcome.ok ? outcome.value : undefined;
    if (name === 'filter' && !value) continue;
    places.push(keys?.[index]);
    values.push(name === 'filter' ? elements[index] : settle ? settledResult(outcome) : value);
  }
  return { ok: true, value: keys === undefined ? values : new Map(places.map((key, place) => [key, values[place]])) };
}

function settledResult(outcome: Outcome): PromiseSettledResult<unknown> {
  return outcome.ok ? { status: 'fulfilled', value: outcome.value } : { status: 'rejected', reason: outcome.error };
}

function elementsOf(receiver: unknown, { call, performer }: MapTask): Elements | Promise<unknown[]> | undefined {
  const limit = performer.session.settings.limits.maxMapElements;
  if (typeof receiver !== 'object' || receiver === null || isTarget(receiver)) return undefined;
  const isMap = receiver instanceof Map;
  // A list from a peer may have a property named `values`.
  const isValues = receiver instanceof Set || Array.isArray(receiver);
  const found = isMap ? receiver.values() : isValues ? receiver[Symbol.iterator]() : receiver;
  const iterable = found as Partial<AsyncIterable<unknown> & IterableIterator<unknown>>;
  if (typeof iterable[Symbol.asyncIterator] === 'function')
    return collect(iterable as AsyncIterable<unknown>, limit, call);
  if (typeof iterable[Symbol.iterator] !== 'function' || typeof iterable.next !== 'function') return undefined;
  const elements: unknown[] = [];
  // If this throws, leaving the loop also closes the iterator.
  for (const element of iterable as Iterable<unknown>) add(element, elements, limit);
  return { elements, keys: isMap ? [...receiver.keys()] : undefined };
}

async function collect(iterable: AsyncIterable<unknown>, limit: number, call: RunningCall): Promise<unknown[]> {
  const elements: unknown[] = [];
  for await (const element of iterable) {
    if (call.over !== undefined) throw call.over;
    add(element, elements, limit);
  }
  return elements;
}

function add(element: unknown, elements: unknown[], limit: number): void {
  if (elements.push(element) > limit) {
    throw exceeded('maxMapElements', { maxMapElements: limit }, ': ask for fewer elements at a time');
  }
}
