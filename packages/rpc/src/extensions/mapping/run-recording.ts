import { RpcError } from '../../errors/rpc-error.ts';
import { type ResultReference, readResultReference } from '../../protocol/address.ts';
import { readOperation } from '../../protocol/operation.ts';
import {
  captureAt,
  type MappingName,
  RECORDING_READER,
  type Recording,
  readEntries,
  recordingOf,
} from '../../protocol/recording.ts';
import type { Outcome, Pending } from '../../protocol/result-frame.ts';
import { RECORDING } from '../../protocol/tags.ts';
import type { RunningCall } from '../../session/incoming/call-context.ts';
import { runThroughout } from '../../session/incoming/current-call.ts';
import { fillIn } from '../../session/incoming/fill-in.ts';
import { callMember, hasMethod } from '../../session/incoming/members.ts';
import { outcomeOf, perform, READY, whenAll } from '../../session/incoming/perform.ts';
import { isTarget } from '../../session/references/by-reference.ts';
import type { Performer, RecordingSupport } from '../../session/settings.ts';
import { isFull, type MapTask, mapOver, type RunElement } from './map-over.ts';

/** The support for recorded callbacks, for sessions that accept them. */
export const RECORDINGS: RecordingSupport = {
  reader: RECORDING_READER,
  map(receiver, method, [recording, ...rest], call, performer) {
    // Without a method, the arguments contain its name and the elements, which come from the caller.
    const [name, elements] = (method === undefined ? rest.splice(0, 2) : [method, receiver]) as [MappingName, unknown];
    const [options] = rest as ({ settle?: unknown } | null | undefined)[];
    call.isMany = true;
    const run = prepare(recording as Recording, call, performer);
    const task = { name, run, settle: name === 'map' && options?.settle === true, call, performer };
    // The code of a generator runs during the iteration, so the call must be known throughout.
    return runThroughout(call, map, undefined, [elements, task, rest], true);
  },
};

function map(receiver: unknown, task: MapTask, rest: unknown[]): Pending {
  const { call, name, run } = task;
  const mapped = mapOver(receiver, task);
  if (mapped !== undefined) return mapped;
  // A target, or any other receiver with a method of this name, gets a function.
  if (hasMethod(receiver, name)) return outcomeOf(callMember(receiver, name, [asFunction(run), ...rest], call));
  const type = receiver === null ? 'null' : typeof receiver;
  throw new RpcError(
    'METHOD_NOT_FOUND',
    `${name}() is for lists, Maps, Sets, async iterables, and targets that declare it; its receiver is of type ${type}`,
  );
}

function prepare(recording: Recording, call: RunningCall, performer: Performer): RunElement {
  const { text, captures, tail } = recording;
  return (element, key) => {
    performer.session.bounds?.spend(performer, 1, text.length + (tail?.length ?? 0));
    const run = new ElementRun(element, key, captures, performer, call);
    const revive = (name: string, parts: unknown[]) => (name === RECORDING ? recordingOf(parts) : run.resolve(parts));
    for (const entry of readEntries(recording, performer.session.settings.decoding, revive))
      run.next(entry as unknown[]);
    return run.outcome;
  };
}

/** One run of a recording, for one element. */
class ElementRun {
  readonly #element: Pending;
  readonly #captures: readonly unknown[];
  readonly #performer: Performer;
  readonly #call: RunningCall;
  /** The key, and then the outcome of each operation. */
  readonly #results: Pending[];
  /** Outcomes of the results that the current entry refers to and that still have to be filled in. */
  #references: Map<ResultReference, Pending> | undefined;
  #result: Pending = READY;
  #failed: Outcome | undefined;
  /** The work that began last and has to be waited for. */
  #pending: Promise<Outcome> | undefined;

  constructor(element: Pending, key: unknown, captures: readonly unknown[], performer: Performer, call: RunningCall) {
    this.#element = element;
    this.#captures = captures;
    this.#performer = performer;
    this.#call = call;
    this.#results = [{ ok: true, value: key }];
  }

  /**
   * The result of the callback. If an operation fails, the callback fails with the first such error, even if its result
   * does not use that operation.
   */
  get outcome(): Pending {
    return whenAll([...this.#results, this.#result], (outcomes) => outcomes.find(({ ok }) => !ok) ?? outcomes.at(-1)!);
  }

  /** Returns the value of a result reference in the current entry, or the reference itself if it is filled in later. */
  resolve(parts: unknown[]): unknown {
    if (this.#failed !== undefined) return null;
    this.#performer.session.bounds?.spend(this.#performer, 1);
    const reference = readResultReference(parts, this.#results.length);
    const pending = perform(this.#at(reference.address), reference.path, undefined, this.#call, this.#performer);
    if (!(pending instanceof Promise) && pending.ok) return pending.value;
    this.#references ??= new Map();
    this.#references.set(reference, pending);
    return reference;
  }

  /** Runs the next operation, or creates the result. After a failure nothing runs, as after a statement that throws. */
  next(entry: unknown[]): void {
    const references = this.#references;
    this.#references = undefined;
    if (this.#failed !== undefined) return;
    const ready = (args: unknown[]) =>
      references === undefined ? READY : fillIn(args, [...references.keys()], (each) => references.get(each)!);
    if (entry.length === 1) {
      this.#result = this.#noted(
        whenAll([ready(entry)], ([filled]) => (filled.ok ? { ok: true, value: entry[0] } : filled)),
      );
      return;
    }
    this.#performer.session.bounds?.spend(this.#performer, 1);
    const operation = readOperation(entry, this.#results.length);
    const { receiver, path, args } = operation;
    const filled = args === undefined ? READY : ready(args);
    const from = this.#at(receiver);
    const outcome = this.#noted(perform(from, path, args, this.#call, this.#performer, this.#inTurn(filled)));
    this.#results.push(outcome);
    if (!(outcome instanceof Promise)) return this.#noteMade(outcome);
    const { waiting } = this.#performer.incoming;
    waiting.mapped++;
    void outcome.then((settled) => {
      waiting.mapped--;
      this.#noteMade(settled);
    });
  }

  /** Notes a target that an operation has returned. */
  #noteMade(outcome: Outcome): void {
    if (outcome.ok && isTarget(outcome.value)) this.#call.made?.push(outcome.value);
  }

  /** Makes the next operation wait for the one before if too many operations are running. */
  #inTurn(ready: Pending): Pending {
    const before = this.#pending;
    return before !== undefined && isFull(this.#performer) ? before.then(() => ready) : ready;
  }

  #at(address: number): Pending {
    if (address === 0) return this.#element;
    if (address < 0) return { ok: true, value: this.#captures[captureAt(address)] };
    return this.#results[this.#results.length - address];
  }

  #noted(pending: Pending): Pending {
    if (pending instanceof Promise) this.#pending = pending;
    else if (!pending.ok) this.#failed = pending;
    return pending;
  }
}

/**
 * Returns a function that runs a recorded callback. It returns a promise only if something in the callback has to wait.
 */
function asFunction(run: RunElement): (element: unknown, key: unknown) => unknown {
  return (element, key) => {
    const pending = run(outcomeOf(element), key);
    return pending instanceof Promise ? pending.then(valueOf) : valueOf(pending);
  };
}

function valueOf(outcome: Outcome): unknown {
  if (outcome.ok) return outcome.value;
  throw outcome.error;
}
