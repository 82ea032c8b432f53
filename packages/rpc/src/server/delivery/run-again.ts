import { RpcError } from '../../errors/rpc-error.ts';
import { keptAt, stepAddress } from '../../protocol/address.ts';
import { readFailure } from '../../protocol/channel.ts';
import { malformedFrame } from '../../protocol/errors.ts';
import type { FrameEntries, FrameHost } from '../../protocol/frame-reader.ts';
import type { CallFrame, Operation } from '../../protocol/operation.ts';
import { readResent } from '../../protocol/resent.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { survivesLoss } from '../../protocol/signal.ts';
import { ABORT_SIGNAL, TOPIC, VALUE } from '../../protocol/tags.ts';
import type { Position } from '../../protocol/topic.ts';
import { RunningCall } from '../../session/incoming/call-context.ts';
import type { ResultStore } from '../../session/incoming/delivery.ts';
import type { Incoming } from '../../session/incoming/incoming.ts';
import { Run } from '../../session/incoming/run.ts';
import { inDoubt } from '../../session/incoming/thrown.ts';
import type { Begun } from '../../session/incoming/turns.ts';
import type { SessionSettings } from '../../session/settings.ts';

/** A frame that was sent before, and how to run it again. */
export interface Rerun {
  readonly frame: CallFrame;
  /** Why none of it may run; undefined if it may. */
  readonly refusal: RpcError | undefined;
  /** Time since it was first sent, in milliseconds; undefined if none of it can have run. */
  readonly ageMs: number | undefined;
  /**
   * The outcome of each operation that need not run, by its place: the stored outcome, the error for a lost reference,
   * or a placeholder that nobody needs.
   */
  readonly known: readonly (Outcome | undefined)[];
  /**
   * The number of the event after which an operation's subscription continues, by the operation's place. Such an
   * operation may run again.
   */
  readonly subscriptions: ReadonlyMap<number, Position>;
  /**
   * Ids of calls that run only because other calls use their results. They were answered before, or are steps of calls
   * that were, so the client sends no signal that it no longer needs their results.
   */
  readonly passing: ReadonlySet<number>;
}

/**
 * Reads a frame that was sent before, and decides which of its operations have to run: those that are still to be
 * answered and have no stored result, and those whose results they use. All other operations are no longer answered.
 * None runs if `admit` returns an error.
 */
export function readResentFrame(
  sent: FrameEntries,
  settings: SessionSettings,
  results: ResultStore | undefined,
  admit: (frame: CallFrame) => RpcError | undefined,
): Rerun {
  const resent = readResent(sent);
  const { ageMs, places, subscriptions } = resent;
  // References in the frame went with the lost connection, and the client does not resend calls that depend on them.
  // Frames that hold no calls are refused here, since reading them would already handle them.
  const [kind] = resent.frame.entries;
  if (typeof kind === 'number' && settings.tables.frames[kind] !== undefined) throwNoCalls();
  const frame = settings.read(resent.frame, NOTHING_BY_REFERENCE);
  if (frame?.kind !== 'calls') return throwNoCalls();
  const refusal = admit(frame);
  if (frame.refusal !== undefined) throw frame.refusal;
  const { operations, firstId } = frame;
  if (places.length > operations.length || places.some((place) => place >= operations.length)) {
    throw malformedFrame('an operation that is not in the frame');
  }
  const known: (Outcome | undefined)[] = operations.map(() => NOT_WANTED);
  const wanted = new Set(places);
  const needed = new Set(places);
  const passing = new Set<number>();
  for (let place = operations.length - 1; place >= 0; place--) {
    const { receiver, path, args, references = [], answered } = operations[place];
    if (!needed.has(place)) {
      // The client has to be told again that a step is stored: the calls that use it are answered from stored results
      // of their own.
      if (!answered && args) known[place] = find(results, firstId + place, '', undefined) ?? NOT_WANTED;
      operations[place].answered = false;
      continue;
    }
    // The client may now want the result of an operation that was only a step.
    operations[place].answered = wanted.has(place);
    if (refusal !== undefined) {
      // Each is answered, because other operations of the frame may be on their way, sent again in another message.
      // Subscribing has no effect, so operations whose subscriptions continue are never in doubt.
      const isInDoubt = ageMs !== undefined && !subscriptions.has(place);
      known[place] = { ok: false, error: isInDoubt ? inDoubt(refusal) : refusal };
      continue;
    }
    if ((answered || subscriptions.size > 0) && !wanted.has(place)) passing.add(firstId + place);
    known[place] = args && find(results, firstId + place, path.at(-1) ?? '', references.length > 0 ? undefined : args);
    if (known[place] !== undefined) continue;
    for (const address of [receiver, ...references.map(({ address }) => address)]) {
      if (address > 0) needed.add(place - address);
      else if (keptAt(address) !== undefined) known[place] = LOST;
    }
  }
  return { frame, refusal, ageMs, known, subscriptions, passing };
}

/**
 * Host for reading a frame of calls without a session: values passed by reference become null, and nothing is settled.
 */
export const NOTHING_BY_REFERENCE: FrameHost = {
  expects: 'calls',
  revive(name, [value, ...rest]) {
    if (name === VALUE) return value;
    if (name === TOPIC) return throwNoCalls();
    // A signal that was aborted already has no channel.
    return name === ABORT_SIGNAL && value === null ? AbortSignal.abort(readFailure(rest)) : null;
  },
  settle: () => {},
  stored: () => {},
  refused: () => {},
};

export function throwNoCalls(): never {
  throw malformedFrame('what was sent again is no frame of calls');
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

/** Runs the operations of a resent frame that have to run. */
export class ResentRun extends Run {
  readonly #rerun: Rerun;

  constructor(incoming: Incoming, rerun: Rerun) {
    const { frame } = rerun;
    super(incoming, { ...frame, signals: frame.signals.filter(survivesLoss) });
    this.#rerun = rerun;
  }

  protected override next(operation: Operation): Begun {
    const begun = this.#runOrJoin(operation);
    const { passing } = this.#rerun;
    if (passing.size > 0 && this.results.length === this.frame.operations.length) {
      void Promise.all(this.results).then(() => {
        for (const id of passing) this.incoming.references.exports.release(stepAddress(id), 1);
      });
    }
    return begun;
  }

  #runOrJoin(operation: Operation): Begun {
    const place = this.results.length;
    const { ageMs, known, passing, subscriptions } = this.#rerun;
    const id = this.frame.firstId + place;
    const isPassing = passing.has(id);
    const outcome = known[place];
    // The client may resend the calls of a frame in several groups, and these may use the same step.
    if (outcome === undefined && !this.cancelled?.has(id) && this.#join(operation, id, isPassing)) return undefined;
    const resumeAfter = subscriptions.get(place);
    const isUnwanted = outcome === NOT_WANTED;
    const mayHaveRun = resumeAfter === undefined && ageMs !== undefined && { isResent: true, ageMs, refused: inDoubt };
    const call = { ...mayHaveRun, resumeAfter, isPassing, isStored: outcome?.ok === true && !isUnwanted };
    return super.next(operation, { call, outcome, isUnwanted });
  }

  /**
   * Reuses the outcome of a call with the same id that was sent again earlier over this connection, if it still runs or
   * its result is kept. Returns false if there is no such call.
   */
  #join(operation: Operation, id: number, isPassing: boolean): boolean {
    const { incoming, frame } = this;
    const running = incoming.running(id);
    const pending = running === undefined ? incoming.references.exports.get(stepAddress(id)) : running.pending;
    if (pending === undefined || (running === undefined && !('ok' in pending && pending.ok))) return false;
    this.results.push(pending);
    if (isPassing) incoming.references.exports.hold(id, pending, 0);
    if (!operation.answered) return true;
    incoming.waits(frame);
    // Not the running call itself, whose observers are told once that it has ended.
    const call = new RunningCall(this.session, id, operation.terms, this.life);
    void Promise.resolve(pending).then((outcome) => {
      call.isStored = running?.isStored === true;
      incoming.answer(call, operation.path, outcome);
      incoming.flushSoon();
      incoming.waited(frame);
    });
    return true;
  }
}

/** The outcome of an operation that the client no longer needs. */
const NOT_WANTED: Outcome = { ok: true, value: undefined };

/**
 * Clients do not resend calls that depend on the state of their lost connection, so a well-behaved one never gets this.
 */
const GONE = new RpcError('REFERENCE_LOST', 'it went with the connection');
const LOST: Outcome = { ok: false, error: GONE };
