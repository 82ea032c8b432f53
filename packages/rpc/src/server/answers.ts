import { exceeded, FrameError, malformed, type RpcError, refusal } from '../errors.ts';
import { Answers } from '../peer/answers.ts';
import { rejected } from '../peer/asked.ts';
import { hasBytes } from '../peer/call.ts';
import { isTarget, OURS } from '../peer/members.ts';
import type { Marked } from '../peer/reader.ts';
import { isPromise } from '../peer/writer.ts';
import { type Running, RunningCall } from './context.ts';
import { callFunction, callMember, OF_FRAMES, readMember } from './members.ts';
import { placeOfRefused } from './refused-value.ts';
import type { Session } from './session.ts';

/** The number of results inside of chains that are kept for later frames, if they are data. */
const MAX_KEPT_DATA = 100;

/** Targets that `restorable` methods have found: they are kept as steps, and disposed of by nobody. */
const FOUND = new WeakSet<object>();

function noteFound(value: unknown): void {
  if (isPromise(value)) value.then(noteFound, () => {});
  else if (isTarget(value)) FOUND.add(value);
}

/** How a frame that is sent again runs, or one that is refused. */
export interface Admission {
  /** The ids that have no answer yet. */
  readonly open?: readonly unknown[] | undefined;
  /** The time since it was first sent, in milliseconds, if it may have run. */
  readonly ageMs?: number | undefined;
  /** Why none of its calls runs. */
  readonly refused?: RpcError | undefined;
}

/** Runs the calls of a client, as the classes of its targets declare. */
export class ServerAnswers extends Answers<RunningCall> {
  declare readonly peer: Session;
  /** The results inside of chains that are data, by their keys. */
  declare private data: Set<string> | undefined;
  /** The number of calls that wait for their turn. */
  declare queued: number;

  constructor(peer: Session) {
    super(peer);
    this.data = undefined;
    this.queued = 0;
  }

  /** Runs the calls of a frame, in order. @throws {RpcError} if it is malformed */
  override run(frame: unknown[], tail: Uint8Array | undefined, { open, ageMs, refused }: Admission = {}): Running {
    const { peer } = this;
    const { limits, settled } = peer.settings;
    let id = frame[0] as number;
    let at = 1;
    if (typeof frame[1] === 'number' && frame[1] > 0) {
      settled?.(peer, frame[1]);
      at++;
    }
    if (!(Number.isSafeInteger(id) && id > 0 && Number.isSafeInteger(id + frame.length))) throw malformed('an id');
    if (frame.length - at > limits.maxOperationsPerFrame) throw exceeded('maxOperationsPerFrame', limits);
    const running: Running = {
      target: peer.target,
      results: new Map(),
      tail,
      ageMs,
      captures: [],
      operations: { count: 0 },
      refused,
      cost: 0,
    };
    // Only ids of the frame: an engine takes long for a set of many numbers that somebody else has chosen.
    const first = id;
    const again =
      open && new Set(open.filter((each) => (each as number) >= first && (each as number) < first + frame.length));
    const isInner = this.willFlush;
    this.willFlush = true;
    try {
      for (; at < frame.length; at++, id++) {
        if (peer.answers !== this) break; // a method has ended the connection
        if (again?.has(id) === false) continue;
        if (frame[at] !== 0) this.start(new RunningCall(peer, id, frame[at], running));
        else running.results.set(id, rejected(refusal('CANCELLED', 'a call that this one uses was given up')));
      }
    } finally {
      this.willFlush = isInner;
    }
    peer.flush();
    return running;
  }

  protected override start(call: RunningCall): void {
    const { refused, results } = call.running;
    if (refused === undefined) return super.start(call);
    const error = withoutRoom(call, refused);
    results.set(call.callId, rejected(error));
    this.fail(call, error);
  }

  /** Goes along a call's steps, when its turn has come. */
  protected override go(call: RunningCall, from: number, receiver: unknown): unknown {
    const { turns } = this.peer;
    // Stubs of other connections are called, too, and only as long as somebody waits.
    if (call.over !== undefined) throw call.over;
    const isOurs = OURS.has(receiver as object);
    // What streams send waits, too, for a client that reads nothing.
    if (!turns.isTaken || (isOurs && !turns.isHeld)) return super.go(call, from, receiver);
    const isCounted = call.kept < 0 ? 0 : 1; // callbacks are counted by themselves
    this.queued += isCounted;
    return turns.later(() => {
      this.queued -= isCounted;
      if (call.over !== undefined) throw call.over;
      const result = super.go(call, from, receiver);
      // Otherwise all that has waited would be sent at once.
      return isOurs && isPromise(result) ? turns.wait(result) : result;
    });
  }

  protected override requireRoom(call: RunningCall): void {
    const { peer, queued, waiting } = this;
    const { size } = waiting;
    const full = peer.full(size === 0 ? 0 : size - queued - (waiting.has(call.callId) ? 1 : 0));
    if (full !== undefined) throw withoutRoom(call, full);
  }

  protected override read(call: RunningCall, value: unknown, name: string): unknown {
    const result = readMember(call, value, name);
    return isPromise(result) ? this.begun(value, result) : result;
  }

  protected override call(
    call: RunningCall,
    value: unknown,
    name: string | undefined,
    args: unknown[],
    next: number,
  ): unknown {
    const result = name === undefined ? callFunction(call, value, args) : callMember(call, value, name, args, next);
    if (call.isPlace && next < call.steps.length) noteFound(result);
    return isPromise(result) ? this.begun(value, result) : result;
  }

  /** Notes that a method has begun, if it waits. */
  private begun(receiver: unknown, result: PromiseLike<unknown>): PromiseLike<unknown> {
    return OURS.has(receiver as object) ? result : this.peer.turns.wait(result);
  }

  override arguments(args: Marked, call: Pick<RunningCall, 'running' | 'isPlace'>): unknown {
    // Results of other calls are no plain values.
    call.isPlace &&= !('of' in args);
    const isOfFrame = call.isPlace && call.running.tail !== undefined && hasBytes(args);
    const given = super.arguments(args, call);
    if (!isOfFrame) return given;
    const note = (list: unknown) => void OF_FRAMES.add(list as object);
    if (isPromise(given)) given.then(note, () => {});
    else note(given);
    return given;
  }

  protected override placeOfRefused(
    error: unknown,
    args: Marked,
    { steps }: Pick<RunningCall, 'running'> & Partial<Pick<RunningCall, 'steps'>>,
  ): string | undefined {
    // The arguments that are being read are not among the steps.
    const name = steps?.[steps.indexOf(undefined) - 1];
    const place = placeOfRefused(args.$, (error as Error).message);
    return place && `${typeof name === 'string' ? name : 'function'}(): at argument ${place}: `;
  }

  protected override bound(call: Pick<RunningCall, 'running' | 'isPlace'>): void {
    call.isPlace = false;
  }

  protected override find(address: unknown, running: Running): unknown {
    const { ageMs, captures } = running;
    if (Array.isArray(address) && address[0] === 'c' && Object.hasOwn(captures, address[1]))
      return captures[address[1]];
    if (ageMs === undefined) return super.find(address, running);
    try {
      return super.find(address, running);
    } catch (error) {
      if (error instanceof FrameError && !(typeof address === 'number' && address < 0)) throw error;
      throw refusal(
        'OUTCOME_UNKNOWN',
        'it may have run: a call that it uses was answered before the connection was lost',
      );
    }
  }

  protected override keep(key: string, value: unknown): void {
    super.keep(key, value);
    if (isPromise(value) || isTarget(value) || typeof value === 'function') return;
    this.data ??= new Set();
    this.data.add(key);
    if (this.data.size > MAX_KEPT_DATA) this.forget(this.data.keys().next().value!);
  }

  protected override forget(key: string): void {
    super.forget(key);
    this.data?.delete(key);
  }

  protected override drop(value: unknown): void {
    if (!FOUND.has(value as object)) super.drop(value);
  }

  /** True if data is kept, or may be once calls go on. */
  get mayHoldData(): boolean {
    return this.data !== undefined || this.waiting.size > 0;
  }

  /** Keeps no more data. */
  letGo(): void {
    for (const key of this.data ?? []) this.forget(key);
    this.data = undefined;
  }

  protected override placeOf({ isPlace }: RunningCall, value: unknown): string | undefined {
    if (!isPlace || Object(value) !== value) return undefined;
    return typeof value === 'function' ? '{"$":{"$place":[1]}}' : isTarget(value) ? '{"$":{"$place":[0]}}' : undefined;
  }

  protected override failed(call: RunningCall, error: unknown): void {
    this.peer.failed(error, call);
  }

  /** Events that were published come first: also when there is no room for further answers. */
  override flush(): void {
    this.peer.publishing?.flush();
    super.flush();
  }

  override cancel(given: unknown): void {
    if (!Array.isArray(given)) throw malformed('cancel');
    for (let at = 0; at < given.length; at += 2) {
      const call = this.waiting.get(given[at]);
      const code = given[at + 1] === 'TIMED_OUT' ? 'TIMED_OUT' : 'CANCELLED';
      if (this.waiting.delete(given[at])) call!.giveUp(refusal(code, `the caller gave up: ${code}`));
    }
  }

  override lose(reason: RpcError): void {
    for (const call of this.waiting.values()) call.giveUp(reason);
    super.lose(reason);
  }
}

/** Returns the error of a call that there is no room for. One that is sent again may have run before. */
function withoutRoom({ running }: RunningCall, error: RpcError): RpcError {
  return running.ageMs === undefined ? error : refusal('OUTCOME_UNKNOWN', `it may have run before: ${error.message}`);
}
