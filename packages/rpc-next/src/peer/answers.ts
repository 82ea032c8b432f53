import { isMarked, toMessage } from '@lumenize/structured-clone-next/messages';
import { exceeded, FrameError, isRefusal, malformed, RpcError, type RpcErrorCode, refusal, unsendable } from '../errors.ts';
import { type EntryOptions, RunningCall } from './context.ts';
import { callFunction, callMember, disposeOf, isTarget, readMember } from './members.ts';
import { atEndOfTurn, bytesOf, type Peer, tooLarge } from './peer.ts';
import { type Marked, Reader } from './reader.ts';
import { isPromise, Writer } from './writer.ts';

/** The number of results inside of chains that are kept for later frames; of these, the number that may be data. */
const MAX_KEPT = 1000;
const MAX_KEPT_DATA = 100;

/** A frame that is sent again: the ids that have no answer yet, and the time since it was first sent. */
export interface Again {
  readonly open: ReadonlySet<unknown>;
  readonly ageMs: number;
}

/** The frame that is being run, or the recording of a callback. */
export interface Running {
  /** What entries without a receiver begin with. */
  readonly target: unknown;
  /** The results of its entries so far, by their ids; undefined if it has one entry only. */
  readonly results: Map<number, unknown> | undefined;
  /** The bytes of its values. */
  readonly tail: Uint8Array | undefined;
  readonly again: Again | undefined;
  /** What a recorded callback uses from outside. */
  readonly captures?: readonly unknown[];
  /** The operations of callbacks so far. */
  readonly mapped: { operations: number };
}

/** An entry that is being run. */
interface Entry {
  readonly steps: unknown[];
  readonly call: RunningCall;
  readonly running: Running;
  /** The number of results inside of it so far; -1 if they are not kept. */
  kept: number;
}

/** The half of a peer that runs the calls of the other side and answers them. */
export class Answers {
  declare readonly peer: Peer;
  /** The calls that wait for something, by their ids. */
  declare readonly waiting: Map<number, RunningCall>;
  /** Results inside of chains, which later frames may use, by `id.number`. Failures stand for all of their chain. */
  declare private readonly kept: Map<string, unknown>;
  declare private readonly keptData: Map<string, unknown>;
  /** The answers that leave next, the id behind the last of them, and their bytes. */
  declare private text: string;
  declare private next: number;
  declare private tail: Uint8Array[];
  /** True while answers leave without being asked to: at the end of the frame that runs, or of the turn. */
  declare private willFlush: boolean;

  constructor(peer: Peer) {
    this.peer = peer;
    this.waiting = new Map();
    this.kept = new Map();
    this.keptData = new Map();
    this.text = '';
    this.next = 0;
    this.tail = [];
    this.willFlush = false;
  }

  /** The number of results that are kept. */
  get held(): number {
    return this.kept.size + this.keptData.size;
  }

  /**
   * Runs the calls of a frame, in order.
   * @throws {FrameError} if it is malformed
   */
  run(frame: unknown[], tail: Uint8Array | undefined, again?: Again): void {
    const { limits, settled } = this.peer.settings;
    let id = frame[0] as number;
    let at = 1;
    if (typeof frame[1] === 'number' && frame[1] > 0) {
      settled?.(this.peer, frame[1]);
      at = 2;
    }
    const count = frame.length - at;
    if (!Number.isSafeInteger(id) || !Number.isSafeInteger(id + count)) throw malformed('an id');
    if (count > limits.maxOperationsPerFrame) throw exceeded('maxOperationsPerFrame', limits);
    const running: Running = {
      target: this.peer.target,
      results: count > 1 ? new Map() : undefined,
      tail,
      again,
      mapped: { operations: 0 },
    };
    const wasRunning = this.willFlush;
    this.willFlush = true;
    try {
      for (; at < frame.length; at++, id++) {
        if (frame[at] === 0) running.results?.set(id, rejected(refusal('CANCELLED', 'a call that this one uses was given up')));
        else if (again === undefined || again.open.has(id)) this.start(frame[at], id, running);
      }
    } finally {
      this.willFlush = wasRunning;
    }
    this.peer.flush();
  }

  /** Runs an entry, and answers it unless it waits. */
  private start(steps: unknown, id: number, running: Running): void {
    if (!Array.isArray(steps) || steps.length === 0) throw malformed('an entry');
    const first = steps[0];
    const options = typeof first === 'object' && first !== null && !Array.isArray(first) ? (first as EntryOptions) : undefined;
    const call = new RunningCall(this.peer, id, options, running);
    const entry: Entry = { steps, call, running, kept: 0 };
    let result: unknown;
    try {
      const { limits } = this.peer.settings;
      if (this.waiting.size >= limits.maxCallsInFlight) throw exceeded('maxCallsInFlight', limits, 'OVERLOADED');
      result = this.begin(entry, options === undefined ? 0 : 1);
    } catch (error) {
      if (error instanceof FrameError) throw error;
      running.results?.set(id, rejected(error));
      return this.fail(entry, error);
    }
    running.results?.set(id, result);
    if (!isPromise(result)) return this.answer(entry, result);
    this.wait(entry, result);
  }

  /** Runs an entry of a recorded callback, whose result nobody is told. */
  runRecorded(steps: unknown, id: number, running: Running, call: RunningCall): void {
    if (!Array.isArray(steps) || steps.length === 0) throw malformed('an entry');
    const result = this.begin({ steps, call, running, kept: -1 }, 0);
    if (isPromise(result)) result.then(undefined, () => {}); // whoever uses it gets the error
    running.results!.set(id, result);
  }

  /** Runs an entry from its receiver on. */
  private begin(entry: Entry, at: number): unknown {
    const { steps, call, running } = entry;
    const receiver = steps[at];
    call.isPlace = entry.kept === 0 && (typeof receiver === 'string' || receiver === 0);
    if (typeof receiver === 'string') return this.go(entry, at, running.target);
    return this.go(entry, at + 1, this.find(receiver, running));
  }

  /** Goes along an entry: a name before a list of arguments is called, any other is read. */
  private go(entry: Entry, begin: number, from: unknown): unknown {
    const { steps, call, running } = entry;
    let value = from;
    for (let at = begin; at < steps.length; ) {
      if (isPromise(value)) return value.then((settled) => this.go(entry, at, settled));
      const step = steps[at];
      const isNamed = typeof step === 'string';
      const place = isNamed ? at + 1 : at;
      const args = steps[place];
      if (typeof args !== 'object' || args === null) {
        if (!isNamed) throw malformed('a step');
        value = readMember(call, value, step);
        at++;
        continue;
      }
      if (!Array.isArray(args)) {
        call.isPlace &&= !('of' in args || 'at' in args);
        const read = this.read(args as Marked, running);
        if (isPromise(read)) {
          return read.then((given) => {
            steps[place] = given;
            return this.go(entry, at, value);
          });
        }
        steps[place] = read;
        continue;
      }
      at = place + 1;
      const isLast = !steps.slice(at).some((later) => typeof later === 'object');
      value = isNamed ? callMember(call, value, step, args, isLast) : callFunction(call, value, args);
      if (at < steps.length && entry.kept >= 0) this.keep(`${call.callId}.${entry.kept++}`, value);
    }
    return value;
  }

  /** Reads arguments that hold marks. Waits for results that they refer to. */
  read(args: unknown, running: Running): unknown {
    if (Array.isArray(args)) return args;
    if (!isMarked(args)) throw malformed('arguments');
    const { of = [] } = args as Marked;
    if (!Array.isArray(of)) throw malformed('of');
    const results = of.map((address) => this.find(address, running));
    const read = (settled: readonly unknown[]) => {
      const given = new Reader(this.peer, running, settled).read(args as Marked);
      if (!Array.isArray(given)) throw malformed('arguments');
      return given;
    };
    return results.some(isPromise) ? Promise.all(results).then(read) : read(results);
  }

  /** Finds what an address stands for. */
  private find(address: unknown, { target, results, again, captures }: Running): unknown {
    if (address === 0) return target;
    if (typeof address === 'number') {
      if (address > 0) return referenced(this.peer, address);
      if (results?.has(-address)) return results.get(-address);
      if (again !== undefined) throw notAgain();
    } else if (Array.isArray(address) && address.length === 2) {
      const [id, number] = address;
      if (id === 'c' && captures !== undefined && number in captures) return captures[number];
      for (const key of [`${id}.${number}`, `${id}`]) {
        if (this.kept.has(key)) return this.kept.get(key);
        if (this.keptData.has(key)) return this.keptData.get(key);
      }
      // Its chain may not have come there yet.
      const running = results?.get(id) ?? this.waiting.get(id)?.result;
      if (isPromise(running)) {
        const look = () => this.find(address, { target, results: undefined, again, captures } as Running);
        return running.then(look, look);
      }
      throw refusal('REFERENCE_LOST', 'the result of this step is no longer kept: await it, and use what that gives');
    }
    throw malformed('an address');
  }

  /** Keeps a result inside of a chain. */
  private keep(key: string, value: unknown): void {
    const isData = !isPromise(value) && !isTarget(value) && typeof value !== 'function';
    const kept = isData ? this.keptData : this.kept;
    kept.set(key, value);
    if (kept.size > (isData ? MAX_KEPT_DATA : MAX_KEPT)) {
      const [[oldest, dropped]] = kept;
      kept.delete(oldest);
      this.drop(dropped);
    }
    if (isPromise(value)) {
      value.then(
        (settled) => this.kept.delete(key) && this.keep(key, settled),
        () => {}, // whoever uses it gets the error
      );
    }
  }

  /** Disposes of a target that is kept no longer, unless the other side holds it. */
  private drop(value: unknown): void {
    if (isTarget(value) && value !== this.peer.target && !this.peer.references?.holds(value)) disposeOf(value);
  }

  private wait(entry: Entry, result: PromiseLike<unknown>): void {
    const { callId } = entry.call;
    const { waiting } = this;
    entry.call.result = result;
    waiting.set(callId, entry.call);
    const over = (end: () => void) => {
      if (waiting.delete(callId)) end();
    };
    result.then(
      (value) => over(() => this.answer(entry, value)),
      (error) => over(() => (error instanceof FrameError ? this.peer.broken(error) : this.fail(entry, error))),
    );
  }

  /** Answers a call with a value. */
  private answer(entry: Entry, value: unknown, before?: Writer): void {
    const { call } = entry;
    const writer = new Writer(this.peer, before);
    let text: string;
    try {
      if (call.isPlace && (isTarget(value) || typeof value === 'function')) {
        text = `{"$":{"$place":[${typeof value === 'function' ? 1 : 0}]}}`;
      } else text = writer.write(value, bytesOf(this.tail));
    } catch (error) {
      return this.fail(entry, unsendable(error, ''));
    }
    const { waits } = writer;
    if (waits === undefined) return this.write(entry, text, writer);
    this.waiting.set(call.callId, call);
    const over = (end: () => void) => {
      if (this.waiting.delete(call.callId)) end();
    };
    Promise.all(waits).then(
      () => over(() => this.answer(entry, value, writer)),
      (error) => over(() => this.fail(entry, error)),
    );
  }

  /** Answers a call with the error with which it failed. */
  private fail(entry: Entry, error: unknown): void {
    const { call, steps } = entry;
    const { onError } = this.peer.settings;
    if (onError !== undefined && !isRefusal(error)) onError(error, nameOf(steps), call);
    if (steps.length > 2) this.keep(`${call.callId}`, rejected(error));
    let writer = new Writer(this.peer);
    let text: string;
    try {
      text = writer.write(error, bytesOf(this.tail));
    } catch (cause) {
      writer = new Writer(this.peer);
      const { message } = unsendable(cause, '') as Error;
      text = writer.write(new RpcError('NOT_CLONEABLE', `${nameOf(steps)}() threw what cannot be sent: ${message}`));
    }
    this.write(entry, text.startsWith('{"$":') ? `${text.slice(0, -1)},"!":1}` : `{"$":${text},"!":1}`, writer);
  }

  private write({ call, steps }: Entry, text: string, { tail, sent = [] }: Writer): void {
    const id = call.callId;
    const { maxMessageBytes } = this.peer.settings.limits;
    const bytes = text.length + bytesOf(tail);
    if (bytes > maxMessageBytes) {
      const error = refusal('TOO_LARGE', `the result of ${nameOf(steps)}: ${tooLarge(bytes, maxMessageBytes)}`);
      return this.write({ call, steps } as Entry, `${new Writer(this.peer).write(error).slice(0, -1)},"!":1}`, new Writer(this.peer));
    }
    if (this.text.length + bytesOf(this.tail) + bytes > maxMessageBytes) this.flush();
    for (const noteSent of sent) noteSent();
    if (this.text === '') this.text = `[-${id},${text}`;
    else this.text += id === this.next ? `,${text}` : `,{"$":${id}},${text}`;
    this.next = id + 1;
    this.tail.push(...tail);
    if (this.willFlush) return;
    this.willFlush = true;
    atEndOfTurn(() => {
      this.willFlush = false;
      this.peer.flush();
    });
  }

  /** Sends the answers that are ready. */
  flush(): void {
    if (this.text === '') return;
    const message = toMessage(`${this.text}]`, this.tail);
    this.text = '';
    this.tail = [];
    this.peer.signal(message);
  }

  /** Gives up calls, for which nobody waits any more: pairs of an id and a code. */
  cancel(given: unknown): void {
    if (!Array.isArray(given)) throw malformed('cancel');
    for (let at = 0; at < given.length; at += 2) {
      const call = this.waiting.get(given[at]);
      if (call === undefined) continue;
      this.waiting.delete(given[at]);
      const code: RpcErrorCode = given[at + 1] === 'TIMED_OUT' ? 'TIMED_OUT' : 'CANCELLED';
      call.giveUp(refusal(code, `the caller gave up: ${code}`));
    }
  }

  /** Ends all calls, whose connection has ended. */
  lose(reason: RpcError): void {
    for (const call of this.waiting.values()) call.giveUp(reason);
    this.waiting.clear();
    for (const value of new Set(this.kept.values())) this.drop(value);
    this.kept.clear();
    this.text = '';
  }
}

/** The value of this side with an id of the other's choice. */
export function referenced({ references }: Peer, id: unknown): unknown {
  if (references === undefined) throw refusal('REFERENCE_LOST', 'this reference is no longer there: get a new one');
  return references.find(id);
}

/** Returns the error for a call that is not run again, because it uses one that is not. */
function notAgain(): RpcError {
  return refusal('OUTCOME_UNKNOWN', 'the connection was lost after the call was sent, and a call that it uses was answered before');
}

function rejected(error: unknown): Promise<never> {
  const promise = Promise.reject(error);
  promise.catch(() => {}); // whoever uses it gets the error
  return promise;
}

/** The name of the method that an entry calls, for messages. */
function nameOf(steps: readonly unknown[]): string {
  const names = steps.filter((step) => typeof step === 'string');
  return names.at(-1) ?? 'function';
}
