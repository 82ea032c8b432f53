import { RpcError } from '../../errors/rpc-error.ts';
import { keptAt, stepAddress } from '../../protocol/address.ts';
import { malformedFrame } from '../../protocol/errors.ts';
import type { FrameEntries, FrameHost } from '../../protocol/frame-reader.ts';
import type { CallFrame, Operation } from '../../protocol/operation.ts';
import { type ResentFrame, readResent } from '../../protocol/resent.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { LEAVE } from '../../protocol/signal.ts';
import { TOPIC, VALUE } from '../../protocol/tags.ts';
import { RunningCall } from '../../session/incoming/call-context.ts';
import type { ResultStore } from '../../session/incoming/delivery.ts';
import type { Incoming } from '../../session/incoming/incoming.ts';
import { Run } from '../../session/incoming/run.ts';
import { inDoubt } from '../../session/incoming/thrown.ts';
import type { Begun } from '../../session/incoming/turns.ts';
import type { SessionSettings } from '../../session/settings.ts';

/** Terms for running a frame that was sent before. */
export interface Again {
  readonly frame: CallFrame;
  /** True if something of it may have run of which that is not known. */
  readonly mayHaveRun: boolean;
  /** Time since it was sent first, in milliseconds; undefined if none of it can have run. */
  readonly ageMs: number | undefined;
  /** By place, the outcome of each operation that need not run: as it was before, or one that nobody asks for. */
  readonly known: readonly (Outcome | undefined)[];
  /** By place, where a subscription is to go on that the operation has returned: so it may run again. */
  readonly subscriptions: ReadonlyMap<number, number>;
  /** Ids of calls that run for others only: they were answered before, so that nobody says that their results are not needed. */
  readonly passing: readonly number[];
}

/** Reads a frame that was sent before, and says what of it has to run. */
export function readAgain(sent: FrameEntries, settings: SessionSettings, results: ResultStore | undefined): Again {
  const resent = readResent(sent);
  // What it passed by reference was lost, and calls about that are not made again.
  // Frames that are no calls would be handled where they are read.
  if (settings.tables.frames.has(resent.frame.entries[0])) noCalls();
  const frame = settings.read(resent.frame, NOTHING_BY_REFERENCE);
  if (frame?.kind !== 'calls') return noCalls();
  return runAgain(frame, resent, results);
}

/** Reads a frame of calls for itself: what it passes by reference is nothing. */
export const NOTHING_BY_REFERENCE: FrameHost = {
  expects: 'calls',
  revive: (name, [value]) => (name === VALUE ? value : name === TOPIC ? noCalls() : null),
  settle: () => {},
  stored: () => {},
  refused: () => {},
};

export function noCalls(): never {
  throw malformedFrame('what was sent again is no frame of calls');
}

/**
 * Works out what of a frame that is sent again has to run: the operations that are still to be answered and have no stored
 * result, and those whose results they use. The others are no longer to be answered.
 */
function runAgain(
  frame: CallFrame,
  { ageMs, places, subscriptions }: ResentFrame,
  results: ResultStore | undefined,
): Again {
  const { operations, firstId } = frame;
  if (places.length > operations.length || places.some((place) => place >= operations.length)) {
    throw malformedFrame('an operation that is not in the frame');
  }
  const known: (Outcome | undefined)[] = operations.map(() => NOT_WANTED);
  const wanted = new Set(places);
  const needed = new Set(places);
  const passing: number[] = [];
  for (let place = operations.length - 1; place >= 0; place--) {
    const { receiver, path, args, references = [], answered } = operations[place];
    if (!needed.has(place)) {
      // That a step is stored has to be told again: it was needed by what is answered from what is stored itself.
      if (!answered && args) known[place] = find(results, firstId + place, '', undefined) ?? NOT_WANTED;
      operations[place].answered = false;
      continue;
    }
    // A step may be wanted by now.
    operations[place].answered = wanted.has(place);
    if (answered && !wanted.has(place)) passing.push(firstId + place);
    known[place] = args && find(results, firstId + place, path.at(-1) ?? '', references.length > 0 ? undefined : args);
    if (known[place] !== undefined) continue;
    for (const address of [receiver, ...references.map(({ address }) => address)]) {
      if (address > 0) needed.add(place - address);
      else if (keptAt(address) !== undefined) known[place] = LOST;
    }
  }
  // Of subscriptions that are to go on everything is known that may have happened.
  const mayHaveRun = ageMs !== undefined && places.some((place) => !subscriptions.has(place));
  return { frame, mayHaveRun, ageMs, known, subscriptions, passing };
}

function find(
  results: ResultStore | undefined,
  callId: number,
  method: string,
  args: unknown[] | undefined,
): Outcome | undefined {
  try {
    return results?.find(callId, method, args);
  } catch (cause) {
    const message = `${method}() may have run: its result cannot be looked up`;
    return { ok: false, error: new RpcError('OUTCOME_UNKNOWN', message, { cause }) };
  }
}

/** Runs what has to run of a frame that was sent before. */
export class RunAgain extends Run {
  readonly #again: Again;

  constructor(incoming: Incoming, again: Again) {
    const { frame } = again;
    // All that it says is about the connection that is gone, but that the client leaves.
    super(incoming, { ...frame, signals: frame.signals.filter(([kind]) => kind === LEAVE) });
    this.#again = again;
  }

  protected override next(operation: Operation): Begun {
    const begun = this.#runOrJoin(operation);
    const { passing } = this.#again;
    if (passing.length > 0 && this.results.length === this.frame.operations.length) {
      void Promise.all(this.results).then(() => {
        for (const id of passing) this.incoming.references.exports.release(stepAddress(id), 1);
      });
    }
    return begun;
  }

  #runOrJoin(operation: Operation): Begun {
    const place = this.results.length;
    const { ageMs, known, passing, subscriptions } = this.#again;
    const id = this.frame.firstId + place;
    const isPassing = passing.includes(id);
    const outcome = known[place];
    // Several calls of a frame that go one after the other may use the same step.
    if (outcome === undefined && !this.cancelled?.has(id) && this.#join(operation, id, isPassing)) return undefined;
    const resumeAfter = subscriptions.get(place);
    const isUnwanted = outcome === NOT_WANTED;
    const mayHaveRun = resumeAfter === undefined && ageMs !== undefined && { isAgain: true, ageMs, refused: inDoubt };
    const call = { ...mayHaveRun, resumeAfter, isPassing, isStored: outcome?.ok === true && !isUnwanted };
    return super.next(operation, { call, outcome, isUnwanted });
  }

  /**
   * Has an operation end as a call of the same id does which was made again before, over this connection, and still runs, or
   * whose result is kept. Returns false where there is none.
   */
  #join(operation: Operation, id: number, isPassing: boolean): boolean {
    const { incoming, frame } = this;
    const running = incoming.running(id);
    const pending = running === undefined ? incoming.references.exports.get(stepAddress(id)) : running.pending;
    if (pending === undefined || (running === undefined && !('ok' in pending && pending.ok))) return false;
    const call = running ?? new RunningCall(this.session, id, operation.terms, this.life);
    this.results.push(pending);
    if (isPassing) incoming.references.exports.hold(id, pending, 0);
    if (!operation.answered) return true;
    incoming.waits(frame);
    void Promise.resolve(pending).then((outcome) => {
      incoming.answer(call, operation.path, outcome);
      incoming.flushSoon();
      incoming.waited(frame);
    });
    return true;
  }
}

/** Stands for what became of an operation that nobody needs any more. */
const NOT_WANTED: Outcome = { ok: true, value: undefined };

/** A client does not send such calls again: they are about what its connection had. */
const GONE = new RpcError('REFERENCE_LOST', 'it went with the connection');
const LOST: Outcome = { ok: false, error: GONE };
