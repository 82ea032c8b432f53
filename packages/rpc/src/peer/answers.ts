import { isMarked, toMessage } from '@lumenize/structured-clone/messages';
import { exceeded, FrameError, malformed, RpcError, refusal, unsendable } from '../errors.ts';
import { type Running, RunningCall } from './context.ts';
import { callFunction, callMember, disposeOf, isTarget, OURS, readMember } from './members.ts';
import { atEndOfTurn, bytesOf, type Peer, tooLarge } from './peer.ts';
import { type Marked, Reader } from './reader.ts';
import { ITEMS_OF, isPromise, Writer } from './writer.ts';

/** The number of results inside of chains that are kept for later frames: targets, functions and failures; and data. */
const MAX_KEPT = 1000;
const MAX_KEPT_DATA = 100;

/** The half of a peer that runs the calls of the other side and answers them. */
export class Answers {
  declare readonly peer: Peer;
  /** The calls that wait for something, by their ids. */
  declare readonly waiting: Map<number, RunningCall>;
  /** Results inside of chains, by `id.number`; a failure is there for all of its chain, by `id`. */
  declare private kept: Map<string, unknown> | undefined;
  declare private keptData: Map<string, unknown> | undefined;
  /** The answers that leave next, with their bytes, and the id behind the last of them. */
  declare private text: string;
  declare private tail: Uint8Array[];
  declare private next: number;
  /** The number of calls that wait for their turn. */
  declare queued: number;
  /** True while answers leave without being asked to: at the end of the frame that runs, or of the turn. */
  declare private willFlush: boolean;

  constructor(peer: Peer) {
    this.peer = peer;
    this.waiting = new Map();
    this.kept = this.keptData = undefined;
    this.text = '';
    this.tail = [];
    this.next = this.queued = 0;
    this.willFlush = false;
  }

  /** The number of results that are kept. */
  get held(): number {
    return (this.kept?.size ?? 0) + (this.keptData?.size ?? 0);
  }

  /**
   * Runs the calls of a frame, in order. Of one that is sent again, those that are `open` and were made `ageMs` ago.
   * @throws {RpcError} if it is malformed
   */
  run(
    frame: unknown[],
    tail: Uint8Array | undefined,
    open?: readonly unknown[],
    ageMs?: number,
    refused?: RpcError,
  ): Running {
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

  /** Runs a call, and answers it unless it waits. */
  protected start(call: RunningCall): void {
    const { refused, results } = call.running;
    let result: unknown;
    try {
      if (refused !== undefined) throw withoutRoom(call, refused);
      result = this.begin(call);
    } catch (error) {
      if (error instanceof FrameError) throw error;
      results.set(call.callId, rejected(error));
      return this.fail(call, error);
    }
    results.set(call.callId, result);
    if (isPromise(result)) this.later(call, result, (value) => this.answer(call, value));
    else this.answer(call, result);
  }

  /** Runs a call from its receiver on. */
  begin(call: RunningCall): unknown {
    const { running, steps } = call;
    const [first] = steps;
    const at = typeof first === 'object' && !Array.isArray(first) ? 1 : 0; // options come first
    const receiver = steps[at];
    call.isPlace = receiver === 0 || typeof receiver === 'string';
    return typeof receiver === 'string'
      ? this.go(call, at, running.target)
      : this.go(call, at + 1, this.find(receiver, running));
  }

  /** Goes along a call's steps: a name before a list of arguments is called, any other is read. */
  private go(call: RunningCall, from: number, receiver: unknown): unknown {
    const { turns } = this.peer;
    if (!turns?.isTaken || OURS.has(receiver as object)) return this.goNow(call, from, receiver);
    const isCounted = call.kept < 0 ? 0 : 1; // callbacks are counted by themselves
    this.queued += isCounted;
    return turns.later(() => {
      this.queued -= isCounted;
      return this.goNow(call, from, receiver);
    });
  }

  private goNow(call: RunningCall, from: number, receiver: unknown): unknown {
    const { peer, queued, waiting } = this;
    const { size } = waiting;
    const full = peer.full(size === 0 ? 0 : size - queued - (waiting.has(call.callId) ? 1 : 0));
    if (full !== undefined) throw withoutRoom(call, full);
    const { steps } = call;
    let value = receiver;
    for (let at = from; at < steps.length; ) {
      if (isPromise(value)) return value.then((settled) => this.go(call, at, settled));
      const step = steps[at];
      const place = typeof step === 'string' ? at + 1 : at;
      const args = steps[place];
      if (typeof args !== 'object' || args === null) {
        if (typeof step !== 'string') throw malformed('a step');
        value = this.begun(value, readMember(call, value, step));
        at++;
      } else if (Array.isArray(args)) {
        at = place + 1;
        const called =
          typeof step === 'string' ? callMember(call, value, step, args, at) : callFunction(call, value, args);
        value = this.begun(value, called);
        if (at < steps.length && call.kept >= 0) this.keep(`${call.callId}.${call.kept++}`, value);
      } else {
        call.isPlace &&= !('of' in args || 'at' in args);
        const given = this.arguments(args, call.running);
        if (!isPromise(given)) steps[place] = given;
        else {
          return given.then((read) => {
            steps[place] = read;
            return this.go(call, at, value);
          });
        }
      }
    }
    return value;
  }

  /** Notes that a method has begun, if it waits. */
  private begun(receiver: unknown, result: unknown): unknown {
    const { turns } = this.peer;
    return turns === undefined || !isPromise(result) || OURS.has(receiver as object) ? result : turns.wait(result);
  }

  /** Reads arguments. Waits for results that they refer to. */
  arguments(args: unknown, running: Running): unknown {
    if (Array.isArray(args)) return args;
    const { of = [] } = args as Marked;
    if (!isMarked(args) || !Array.isArray(of)) throw malformed('arguments');
    const results = of.map((address) => this.find(address, running));
    const read = (settled: readonly unknown[]) => {
      let given: unknown;
      try {
        given = new Reader(this.peer, running, settled).read(args);
      } catch (error) {
        // A value that is refused fails its call. One that nobody could have written ends the connection.
        if ((error as { code?: unknown }).code === 'MALFORMED') throw malformed((error as Error).message);
        throw unsendable(error, '');
      }
      if (!Array.isArray(given)) throw malformed('arguments');
      return given;
    };
    return results.some(isPromise) ? Promise.all(results).then(read) : read(results);
  }

  /** Finds what an address stands for. */
  private find(address: unknown, running: Running): unknown {
    const { results } = running;
    if (address === 0) return running.target;
    if (typeof address === 'number') {
      if (address > 0) return referenced(this.peer, address);
      if (results.has(-address)) return results.get(-address);
      if (running.ageMs !== undefined) {
        throw refusal(
          'OUTCOME_UNKNOWN',
          'it may have run: a call that it uses was answered before the connection was lost',
        );
      }
    } else if (Array.isArray(address) && address.length === 2) {
      const [id, number] = address;
      if (id === 'c' && Object.hasOwn(running.captures, number)) return running.captures[number];
      if (!Number.isSafeInteger(id) || !Number.isSafeInteger(number)) throw malformed('an address');
      for (const key of [`${id}.${number}`, `${id}`]) {
        for (const kept of [this.kept, this.keptData]) if (kept?.has(key)) return kept.get(key);
      }
      // Its chain may not have come there yet.
      const chain = results.get(id) ?? this.waiting.get(id)?.result;
      if (isPromise(chain)) {
        const look = () => this.find(address, { ...running, results: new Map() });
        return chain.then(look, look);
      }
      throw refusal('REFERENCE_LOST', 'the result of this step is no longer kept: await it, and use what that gives');
    }
    throw malformed('an address');
  }

  /** Keeps a result inside of a chain. */
  private keep(key: string, value: unknown): void {
    const isData = !isPromise(value) && !isTarget(value) && typeof value !== 'function';
    const place = isData ? 'keptData' : 'kept';
    this[place] ??= new Map();
    const kept = this[place];
    kept.set(key, value);
    if (kept.size > (isData ? MAX_KEPT_DATA : MAX_KEPT)) {
      const [[oldest, dropped]] = kept;
      kept.delete(oldest);
      this.drop(dropped);
    }
    if (isPromise(value)) {
      value.then(
        (settled) => this.kept?.delete(key) && this.keep(key, settled),
        () => {}, // whoever uses it gets the error
      );
    }
  }

  /** Keeps no more data. */
  letGo(): void {
    this.keptData = undefined;
  }

  /** Disposes of a target that is kept no longer, unless the other side holds it. */
  private drop(value: unknown): void {
    if (isTarget(value) && value !== this.peer.target && !this.peer.references?.holds(value)) disposeOf(value);
  }

  /** Goes on with a call once something has settled, unless the call is over by then. */
  private later(call: RunningCall, promise: PromiseLike<unknown>, go: (value: unknown) => void): void {
    const { waiting } = this;
    // Calls are counted, and given up, by their ids.
    if ((waiting.get(call.callId) ?? call) !== call) return this.peer.broken(malformed('an id that is in use'));
    call.result = promise;
    waiting.set(call.callId, call);
    promise.then(
      (value) => waiting.delete(call.callId) && go(value),
      (error) => waiting.delete(call.callId) && this.fail(call, error),
    );
  }

  /** Answers a call with a value. */
  protected answer(call: RunningCall, value: unknown, before?: Writer): void {
    const writer = new Writer(this.peer, before);
    const isFunction = typeof value === 'function';
    writer.call = call;
    let text: string;
    try {
      text =
        call.isPlace && (isFunction || isTarget(value))
          ? `{"$":{"$place":[${isFunction ? 1 : 0}]}}`
          : writer.write(value, bytesOf(this.tail));
    } catch (error) {
      const of = ITEMS_OF.get(value as object);
      return this.fail(
        call,
        of === undefined
          ? unsendable(error, `the result of ${call.name}(): `)
          : unsendable(error, `an item of ${of}(): `, 'at item'),
      );
    }
    if (writer.waits === undefined) this.write(call, text, writer);
    else this.later(call, Promise.all(writer.waits), () => this.answer(call, value, writer));
  }

  /** Answers a call with the error with which it failed. */
  protected fail(call: RunningCall, error: unknown, before?: Writer): void {
    const { peer } = this;
    if (error instanceof FrameError) return peer.broken(error);
    if (before === undefined) {
      peer.failed(error, call);
      if (call.steps.length > 2) this.keep(`${call.callId}`, rejected(error));
    }
    let writer = new Writer(peer, before);
    let text: string;
    try {
      text = writer.write(error, bytesOf(this.tail));
    } catch (cause) {
      const { message } = unsendable(cause, '') as Error;
      writer = new Writer(peer);
      text = writer.write(
        error instanceof RpcError
          ? new RpcError(error.code, error.message)
          : new RpcError('NOT_CLONEABLE', `${call.name}() threw what cannot be sent: ${message}`),
      );
    }
    const { waits } = writer;
    if (waits !== undefined) return this.later(call, Promise.all(waits), () => this.fail(call, error, writer));
    this.write(call, text.startsWith('{"$":') ? `${text.slice(0, -1)},"!":1}` : `{"$":${text},"!":1}`, writer);
  }

  protected write(call: RunningCall, text: string, { tail, sent }: Writer): void {
    const { callId } = call;
    const { maxMessageBytes } = this.peer.settings.limits;
    const bytes = text.length + bytesOf(tail);
    if (bytes > maxMessageBytes) {
      return this.fail(call, refusal('TOO_LARGE', `the result of ${call.name}: ${tooLarge(bytes, maxMessageBytes)}`));
    }
    if (this.text.length + bytesOf(this.tail) + bytes > maxMessageBytes) this.flush();
    this.peer.answered();
    for (const noteSent of sent?.values() ?? []) noteSent();
    this.text +=
      this.text === '' ? `[-${callId},${text}` : callId === this.next ? `,${text}` : `,{"$":${callId}},${text}`;
    this.next = callId + 1;
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
      const code = given[at + 1] === 'TIMED_OUT' ? 'TIMED_OUT' : 'CANCELLED';
      if (this.waiting.delete(given[at])) call!.giveUp(refusal(code, `the caller gave up: ${code}`));
    }
  }

  /** Ends all calls, whose connection has ended. */
  lose(reason: RpcError): void {
    for (const call of this.waiting.values()) call.giveUp(reason);
    this.waiting.clear();
    for (const value of new Set(this.kept?.values())) this.drop(value);
    this.kept = undefined;
    this.text = '';
  }
}

/** Returns what a peer answers. */
export function answersOf(peer: Peer): Answers {
  peer.answers ??= new Answers(peer);
  return peer.answers;
}

/** The value of this side with an id of the other's choice. */
export function referenced({ references }: Peer, id: unknown): unknown {
  if (references === undefined) throw refusal('REFERENCE_LOST', 'this reference is no longer there: get a new one');
  return references.find(id);
}

/** Returns the error of a call that there is no room for. One that is sent again may have run before. */
function withoutRoom({ running }: RunningCall, error: RpcError): RpcError {
  return running.ageMs === undefined ? error : refusal('OUTCOME_UNKNOWN', `it may have run before: ${error.message}`);
}

function rejected(error: unknown): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  // Whoever uses it gets the error. A promise that is rejected first would be noted as unhandled for a while.
  promise.catch(() => {});
  reject(error);
  return promise;
}
