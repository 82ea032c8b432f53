import { exceeded, malformed, type RpcError, refusal } from '../errors.ts';
import { Answers, rejected } from '../peer/answers.ts';
import { isTarget, OURS } from '../peer/members.ts';
import type { Marked } from '../peer/reader.ts';
import { isPromise, type Writer } from '../peer/writer.ts';
import { type Running, RunningCall } from './context.ts';
import { callFunction, callMember, readMember } from './members.ts';
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
  /** Results inside of chains that are data. */
  declare private keptData: Map<string, unknown> | undefined;
  /** The number of calls that wait for their turn. */
  declare queued: number;

  constructor(peer: Session) {
    super(peer);
    this.keptData = undefined;
    this.queued = 0;
  }

  /** The number of results that are kept. */
  override get held(): number {
    return this.kept.size + (this.keptData?.size ?? 0);
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
    if (!Number.isSafeInteger(id) || !Number.isSafeInteger(id + frame.length)) throw malformed('an id');
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

  override begin(call: RunningCall): unknown {
    const { refused } = call.running;
    if (refused !== undefined) throw withoutRoom(call, refused);
    const [first] = call.steps;
    const receiver = typeof first === 'object' && !Array.isArray(first) ? call.steps[1] : first;
    call.isPlace = receiver === 0 || typeof receiver === 'string';
    return super.begin(call);
  }

  /** Goes along a call's steps, when its turn has come. */
  protected override go(call: RunningCall, from: number, receiver: unknown): unknown {
    const { turns } = this.peer;
    if (!turns.isTaken || OURS.has(receiver as object)) return super.go(call, from, receiver);
    const isCounted = call.kept < 0 ? 0 : 1; // callbacks are counted by themselves
    this.queued += isCounted;
    return turns.later(() => {
      this.queued -= isCounted;
      return super.go(call, from, receiver);
    });
  }

  protected override requireRoom(call: RunningCall): void {
    const { peer, queued, waiting } = this;
    const { size } = waiting;
    const full = peer.full(size === 0 ? 0 : size - queued - (waiting.has(call.callId) ? 1 : 0));
    if (full !== undefined) throw withoutRoom(call, full);
  }

  protected override read(call: RunningCall, value: unknown, name: string): unknown {
    return this.begun(value, readMember(call, value, name));
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
    return this.begun(value, result);
  }

  /** Notes that a method has begun, if it waits. */
  private begun(receiver: unknown, result: unknown): unknown {
    return !isPromise(result) || OURS.has(receiver as object) ? result : this.peer.turns.wait(result);
  }

  override arguments(args: Marked, call: Pick<RunningCall, 'running' | 'isPlace'>): unknown {
    call.isPlace &&= !('of' in args || 'at' in args);
    return super.arguments(args, call);
  }

  protected override bound(call: Pick<RunningCall, 'running' | 'isPlace'>): void {
    call.isPlace = false;
  }

  protected override find(address: unknown, running: Running): unknown {
    const { ageMs, captures, results } = running;
    if (Array.isArray(address) && address[0] === 'c' && Object.hasOwn(captures, address[1]))
      return captures[address[1]];
    if (ageMs !== undefined && typeof address === 'number' && address < 0 && !results.has(-address)) {
      throw refusal(
        'OUTCOME_UNKNOWN',
        'it may have run: a call that it uses was answered before the connection was lost',
      );
    }
    return super.find(address, running);
  }

  protected override keptAs(key: string): unknown[] | undefined {
    return this.keptData?.has(key) ? [this.keptData.get(key)] : super.keptAs(key);
  }

  protected override keep(key: string, value: unknown): void {
    const { kept } = this;
    if (!isPromise(value) && !isTarget(value) && typeof value !== 'function') {
      this.keptData ??= new Map();
      const { keptData } = this;
      keptData.set(key, value);
      if (keptData.size > MAX_KEPT_DATA) keptData.delete(keptData.keys().next().value!);
      return;
    }
    super.keep(key, value);
    if (isPromise(value))
      value.then(
        (settled) => kept.delete(key) && this.keep(key, settled),
        () => {}, // whoever uses it gets the error
      );
  }

  protected override drop(value: unknown): void {
    if (!FOUND.has(value as object)) super.drop(value);
  }

  /** True if data is kept, or may be once calls go on. */
  get mayHoldData(): boolean {
    return this.keptData !== undefined || this.waiting.size > 0;
  }

  /** Keeps no more data. */
  letGo(): void {
    this.keptData = undefined;
  }

  protected override textOf(call: RunningCall, value: unknown, writer: Writer): string {
    writer.call = call;
    const isFunction = typeof value === 'function';
    if (call.isPlace && (isFunction || isTarget(value))) return `{"$":{"$place":[${isFunction ? 1 : 0}]}}`;
    return super.textOf(call, value, writer);
  }

  protected override failed(call: RunningCall, error: unknown): void {
    this.peer.failed(error, call);
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
