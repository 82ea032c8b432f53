import { lend, StubBase } from '#platform';
import { CLOSE_EXPIRED, CLOSE_INTERNAL, CLOSE_MALFORMED, CLOSE_POLICY, CLOSE_TOO_LARGE } from '../closes.ts';
import { type CodesBy, type CodeTable, RpcError } from '../errors.ts';
import { Call, callOf, failedCall } from '../peer/call.ts';
import { disposeOf } from '../peer/members.ts';
import { answersOf, type Peer } from '../peer/peer.ts';
import { type Node, namesOf, nodeOf, type Reference, stubOf } from '../peer/stub.ts';
import type { Writer } from '../peer/writer.ts';
import type { Transport } from '../transport/transport.ts';
import type { Message } from '../types/message.ts';
import { ServerAnswers } from './answers.ts';
import { expiredError, isExpired } from './callers.ts';
import { RunningCall } from './context.ts';
import { type Bucket, take } from './rates.ts';
import { asFrameError } from './report.ts';
import { Session } from './session.ts';
import type { SessionHost } from './session-host.ts';
import type { ServerSettings } from './settings.ts';

const CLOSE_CODES: CodeTable<number> = {
  TOO_LARGE: CLOSE_TOO_LARGE,
  MALFORMED_FRAME: CLOSE_MALFORMED,
  EXPIRED: CLOSE_EXPIRED,
  LIMIT_EXCEEDED: CLOSE_POLICY,
  RATE_LIMITED: CLOSE_POLICY,
} satisfies CodesBy<'close', typeof CLOSE_INTERNAL>;

/** Returns the code with which to close a socket because of an error. */
export function closeCodeOf({ code }: RpcError): number {
  return CLOSE_CODES[code] ?? CLOSE_INTERNAL;
}

/** What the other side gets of a call. */
interface Outcome {
  readonly ok: boolean;
  readonly value: unknown;
}

/** Answers calls with values as they are, whatever carries them. */
class LiveAnswers extends ServerAnswers {
  declare readonly peer: AdaptedSession;
  private readonly outcomes = new WeakMap<RunningCall, Outcome>();
  private readonly asked = new WeakMap<RunningCall, PromiseWithResolvers<unknown>>();

  /** Runs an operation. Returns what the other side gets, or a promise of it; throws what it gets of a failure. */
  ask(call: RunningCall): unknown {
    this.start(call);
    const outcome = this.outcomes.get(call);
    if (outcome?.ok) return outcome.value;
    if (outcome !== undefined) throw outcome.value;
    const asked = Promise.withResolvers<unknown>();
    this.asked.set(call, asked);
    return asked.promise;
  }

  protected override answer(call: RunningCall, value: unknown): void {
    let given: unknown;
    try {
      given = this.peer.give(value, call.name);
    } catch (error) {
      return this.fail(call, error);
    }
    this.settle(call, { ok: true, value: given });
  }

  protected override fail(call: RunningCall, error: unknown): void {
    this.peer.failed(error, call);
    this.settle(call, { ok: false, value: this.peer.giveError(error, call.name) });
  }

  private settle(call: RunningCall, outcome: Outcome): void {
    this.outcomes.set(call, outcome);
    this.write(call, '', { tail: [], sent: undefined });
  }

  protected override write(call: RunningCall, ..._answer: [text: string, writer: Pick<Writer, 'tail' | 'sent'>]): void {
    this.peer.answered();
    const { ok, value } = this.outcomes.get(call)!;
    const asked = this.asked.get(call);
    if (ok) asked?.resolve(value);
    else asked?.reject(value);
  }
}

/** A call or read of an object of the other side, which is under way. */
export interface CallOut {
  /** The object that stands for the result, for calls that are made on it: `of` of a later `callOut`. */
  readonly pending: object;
  /** The result, as code of this side gets it. */
  readonly result: Promise<unknown>;
}

/** The place of an object of the other side. */
export interface OutsidePlace {
  /** The object that was given to `stubFor`, or what stands for the result of a call. */
  readonly of: object;
  /** The names that lead from it to the place. */
  readonly path: readonly string[];
}

/**
 * What is behind the stub of an object of the other side. The platform passes on functions without their members, and
 * targets with them. Such an object may be either, so this is a function with the prototype of targets.
 */
const EITHER = Object.preventExtensions(Object.setPrototypeOf(() => {}, StubBase.prototype));

/**
 * The session of a connection in another protocol. The other side's calls are run, limited, observed and reported as
 * those of this library's own protocol. Values are handed over as they are: a subclass converts and carries them.
 */
export abstract class AdaptedSession extends Session {
  private buckets: readonly Bucket[] | undefined;
  /** How often the other side holds each object of this side. */
  private readonly counted = new Map<object, number>();
  /** What stands on the other side behind references and calls. */
  private readonly outside = new WeakMap<object, object>();
  /** The disposers of stubs that nothing refers to any more. */
  private unused: (() => void)[] = [];
  private readonly collected = new FinalizationRegistry<() => void>((dispose) => this.unused.push(dispose));

  constructor(settings: ServerSettings, target: object, transport: Transport, host: SessionHost) {
    const answering = (peer: Peer) => new LiveAnswers(peer as AdaptedSession);
    super({ ...settings, answering }, target, transport, host);
  }

  /** Returns what the other side gets of the result of a method. An error that it throws becomes the outcome. */
  abstract give(value: unknown, method: string): unknown;
  /** Returns what the other side gets of the error of a method. */
  abstract giveError(error: unknown, method: string): unknown;
  /** Calls what is at a place of the other side, or reads it if there are no arguments. */
  abstract callOut(place: OutsidePlace, args: unknown[] | undefined): CallOut;

  // Calls of the other side.

  /**
   * Calls a member of an object of this side, reads it if there are no arguments, or calls the object itself if there
   * is no name. Returns what the other side gets, or a promise of it.
   * @throws what the other side gets of a failure
   */
  ask(receiver: object, name: string | undefined, args: unknown[] | undefined): unknown {
    if (this.isOver) throw new RpcError('REFERENCE_LOST', 'the connection has ended');
    const steps = name === undefined ? [['c', 0], args] : args === undefined ? [name] : [name, args];
    const running = {
      target: receiver,
      results: new Map(),
      tail: undefined,
      ageMs: undefined,
      captures: [receiver],
      operations: { count: 0 },
      refused: undefined,
      cost: 0,
    };
    try {
      return (answersOf(this) as LiveAnswers).ask(new RunningCall(this, this.nextId++, steps, running));
    } finally {
      this.watch();
    }
  }

  /**
   * Makes sure that the caller may still call.
   * @throws {RpcError} `EXPIRED` if the caller's identity has expired
   */
  requireValid(): void {
    if (this.caller !== undefined && isExpired(this.caller)) throw expiredError();
  }

  /** Takes operations from what the rate limits leave to the caller. Returns the error if they may not run. */
  take(operations: number): RpcError | undefined {
    if (this.buckets === undefined) {
      // Not earlier, so that the error reaches calls.
      const buckets = this.settings.shared.rates.open(this.caller);
      if (buckets instanceof RpcError) return buckets;
      this.buckets = buckets;
    }
    return take(this.buckets, operations);
  }

  /** Reports why something is refused that no method was asked for, such as `'a frame'`. Returns the caller's error. */
  refuse(error: unknown, what: string): RpcError {
    const refused = asFrameError(error);
    this.settings.shared.refused(refused, what, this.caller);
    return refused;
  }

  /** The number of calls that are running. */
  get callsRunning(): number {
    return this.answers?.waiting.size ?? 0;
  }

  override answered(): void {
    super.answered();
    this.watch();
  }

  /** Called for each message that arrives: what begins with it need not wait for what has begun before. */
  arrived(message: string): void {
    const { counts } = this.settings.shared;
    counts.framesReceived++;
    counts.bytesReceived += message.length;
    this.turns.event();
    // Not earlier: a Worker may send nothing while it collects garbage.
    for (const dispose of this.unused.splice(0)) dispose();
  }

  /** Sends a message. */
  override signal(message: Message): void {
    const { counts } = this.settings.shared;
    counts.framesSent++;
    counts.bytesSent += message.length;
    this.transport.send(message);
  }

  // Objects of this side.

  /** The number of objects of this side that the other side holds. */
  get held(): number {
    return this.counted.size;
  }

  /** Returns true if the other side holds an object of this side. */
  holds(value: object): boolean {
    return this.counted.has(value);
  }

  /** Notes that the other side holds an object once more, until it is released. */
  retain(value: object): void {
    this.counted.set(value, (this.counted.get(value) ?? 0) + 1);
  }

  /** Releases an object once. What the other side holds no longer is disposed of. */
  release(value: object): void {
    const count = (this.counted.get(value) ?? 0) - 1;
    if (count > 0) this.counted.set(value, count);
    else if (this.counted.delete(value)) disposeOf(value);
  }

  // Objects of the other side.

  /** Returns the stub of an object of the other side. `dispose` is called when it is disposed of or collected. */
  stubFor(of: object, dispose: () => void): object {
    const { collected } = this;
    const reference: Reference = {
      id: 0,
      epoch: this.epoch,
      disposed: undefined,
      dispose() {
        if (reference.disposed !== undefined) return;
        reference.disposed = new Error('the stub was disposed of here');
        collected.unregister(reference);
        dispose();
      },
    };
    this.outside.set(reference, of);
    collected.register(reference, dispose, reference);
    const members = stubOf(this, reference);
    const called = stubOf(this, reference, true) as (...args: unknown[]) => unknown;
    const stub: object = new Proxy(EITHER, {
      apply: (_target, _this, args) => called(...args),
      get: (_target, key) => (key === 'dup' && lend !== undefined ? () => lend!(stub) : Reflect.get(members, key)),
    });
    return stub;
  }

  /** Returns the place that a value of this side stands for; undefined if it is no stub of this connection. */
  placeOf(value: unknown): OutsidePlace | undefined {
    const node = nodeOf(value);
    if (node === undefined || node.peer !== this) return undefined;
    return { of: this.outside.get(node.base!)!, path: namesOf(node.path) };
  }

  /** True for a value that stands for something elsewhere: a stub of any connection of this library. */
  isStub(value: unknown): boolean {
    return nodeOf(value) !== undefined;
  }

  override make(node: Node, args: unknown[] | undefined): Call {
    const { base, path } = node;
    try {
      if (!(base instanceof Call) && (base as Reference).disposed !== undefined) {
        throw new RpcError('REFERENCE_LOST', 'this stub was disposed of', { cause: (base as Reference).disposed });
      }
      const { pending, result } = this.callOut({ of: this.outside.get(base!)!, path: namesOf(path) }, args);
      const call = callOf(result);
      this.outside.set(call, pending);
      return call;
    } catch (error) {
      return failedCall(error);
    }
  }
}
