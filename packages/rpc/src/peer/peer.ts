import { checkText, fromMessage, isMarked } from '@lumenize/structured-clone/messages';
import { malformed, RpcError, unsendable } from '../errors.ts';
import type { SessionCounts } from '../types/call-context.ts';
import type { Message } from '../types/message.ts';
import type { Answers } from './answers.ts';
import { Call, callOf, Frame, failedCall, REJECTED, RESOLVED, STEP } from './call.ts';
import { limit } from './limit.ts';
import { goOnFrom } from './local.ts';
import type { CallOptions, Settings } from './options.ts';
import { Reader } from './reader.ts';
import type { References } from './references.ts';
import { type Base, type Node, nameOf, Place, recorder, stubOf } from './stub.ts';
import { Writer } from './writer.ts';

/** The calls of a side that has made none, as most servers: an empty Map takes memory for each connection. */
const NONE: Map<number, Call> = new Map();
/** The number of ids that settle before the other side is told. */
const TOLD_EVERY = 256;

/**
 * One side of a connection. It makes calls, and answers those of the other side; client and server are alike in this. A
 * subclass carries its messages.
 */
export abstract class Peer {
  declare readonly settings: Settings;
  /** The target that the other side calls; undefined if it may call nothing. */
  declare target: object | undefined;
  /** The number of the connection. What belongs to an earlier one is lost. */
  declare epoch: number;
  /** The number of the session. Another identity begins another one, in which places and promises of earlier ones end. */
  declare life: number;
  /** The calls that have not settled, in the order of their ids. */
  declare calls: Map<number, Call>;
  /** The answers of this side; undefined until it is asked for something. */
  declare answers: Answers | undefined;
  /** The values that are passed by reference; undefined until one is. */
  declare references: References | undefined;
  /** The functions that end the waiting of calls with options, by their ids; undefined until there are such calls. */
  declare limited: Map<number, () => void> | undefined;
  declare protected nextId: number;
  /** The id of the first reference that this side gives. */
  declare firstReference: number;
  /** The frame that is being written in this turn. */
  declare writing: Frame | undefined;
  /** The call in it that a chain may go on from. */
  declare private last: Call | undefined;
  /** The id below which all calls have settled, as the other side knows. */
  declare protected told: number;

  constructor(settings: Settings, target: object | undefined) {
    this.settings = settings;
    this.target = target;
    this.calls = NONE;
    this.epoch = this.life = this.told = 0;
    this.nextId = this.firstReference = 1;
    this.answers = this.references = this.limited = this.writing = this.last = undefined;
  }

  /** Called when a call was answered. */
  answered(): void {}

  get counts(): SessionCounts {
    const { exports = 0, imports = 0, channels = 0 } = this.references?.counts ?? {};
    return { callsInFlight: this.calls.size, exports, imports, channels, heldResults: this.answers?.held ?? 0 };
  }

  /** Sends a frame of calls, or keeps it until there is a connection. */
  protected abstract send(frame: Frame): void;
  /** Sends answers or a signal, or drops them if there is no connection. */
  abstract signal(message: Message): void;
  /** Ends the connection for good. */
  abstract close(): void;
  /** Returns the reason why no call can be made; undefined if it can. */
  protected abstract refusal(): RpcError | undefined;
  /** Recordings note what a callback uses, and capture what is from outside. */
  used?(node: Node): void;
  captured?(stub: object): unknown;
  /** Ends the connection, because the other side breaks the protocol. */
  abstract broken(error: RpcError): void;

  /**
   * Makes a call, or a read if there are no arguments. A failure becomes the outcome of the call.
   * @throws what a callback of `map` throws, or the reason why it cannot be recorded
   */
  op(node: Node, args: unknown[] | undefined): Call {
    return this.make(node, args);
  }

  /** Makes a call, whatever observes those that programs make. `waited` has what its arguments have waited for. */
  make(node: Node, args: unknown[] | undefined, waited?: Writer): Call {
    const { base, path, options } = node;
    const isPlain = base === undefined && options === undefined;
    const refused = this.refusal() ?? (isPlain ? undefined : refusalOf(node, this));
    if (refused !== undefined) return failedCall(refused);
    if (isElsewhere(base, this)) return this.goOn(base, node, args);
    let tail = path;
    let writer: Writer | undefined;
    if (args?.length === 0) tail += ',[]';
    else if (args !== undefined) {
      writer = waited ?? new Writer(this, nameOf(node), node);
      try {
        tail += `,${writer.write(args, bytesOf(this.writing?.tail))}`;
      } catch (error) {
        const told = unsendable(error, `${nameOf(node)}(): `, 'at argument $1');
        if (writer.isRecording || recorder !== undefined) throw told;
        return failedCall(told);
      }
      const { waits } = writer;
      if (waits !== undefined) return callOf(Promise.all(waits).then(() => this.make(node, args, writer).promise()));
    }
    if (isElsewhere(base, this)) return this.make(node, args, waited); // its frame was full
    const { maxMessageBytes, maxOperationsPerFrame } = this.settings.limits;
    const bytes = tail.length + bytesOf(writer?.tail);
    const frame = this.writing;
    if (frame !== undefined) {
      const isFull = frame.text.length + bytesOf(frame.tail) + bytes > maxMessageBytes;
      if (isFull || this.nextId - frame.firstId >= maxOperationsPerFrame) {
        this.flush();
        return this.make(node, args, waited);
      }
    } else if (bytes > maxMessageBytes) {
      return failedCall(new RpcError('TOO_LARGE', `${nameOf(node)}(): ${tooLarge(bytes, maxMessageBytes)}`));
    }
    const call = this.append(base, tail, options);
    if (writer !== undefined) this.attach(call.frame!, writer);
    if (options !== undefined) limit(this, call, options, nameOf(node));
    return call;
  }

  /** Goes on from the result of a call that is not in the frame that is being written. */
  private goOn(base: Call, node: Node, args: unknown[] | undefined): Call {
    if (base.state === REJECTED) return failedCall(base.value);
    if (base.state === RESOLVED) return goOnFrom(this, base.value, node, args);
    if (base.state !== STEP) return callOf(base.promise().then((value) => goOnFrom(this, value, node, args).promise()));
    return this.make({ ...node, base: this.fetch(base) }, args);
  }

  /** Returns the call that fetches the result of a step from the other side. */
  fetch(step: Call): Call {
    let fetching = step.value as Call | undefined;
    if (fetching === undefined) {
      step.value = fetching = this.append(step, '', undefined);
      // It is no step itself: the other side counts calls only.
      fetching.isUsed = true;
    }
    return fetching;
  }

  /** Returns the address of a call's result for others in the frame that is being written; undefined if it has none. */
  addressOf(call: Call): unknown {
    if (call.frame === undefined || call.frame !== this.writing) return undefined;
    return call.state === STEP ? [call.id, call.depth] : -call.id;
  }

  /** Writes a call into the frame of this turn. */
  protected append(base: Base, tail: string, options: CallOptions | undefined): Call {
    const isFirst = this.writing === undefined;
    this.writing ??= this.begin();
    const frame = this.writing;
    let call: Call;
    if (base instanceof Call && base === this.last && !base.isUsed && options === undefined) {
      call = new Call(base.id, frame, base.depth + 1);
      base.state = STEP;
      frame.text += tail;
    } else {
      call = new Call(this.nextId++, frame, 0);
      const terms =
        options?.timeoutMs === undefined && options?.traceparent === undefined ? '' : `${termsOf(options)},`;
      frame.text += `${isFirst ? ',[' : '],['}${terms}${this.receiver(base, tail)}`;
    }
    this.last = options === undefined ? call : undefined;
    if (this.calls === NONE) this.calls = new Map();
    this.calls.set(call.id, call);
    return call;
  }

  /** Returns the operations of an entry, with its receiver in front. */
  private receiver(base: Base, tail: string): string {
    if (base === undefined) return tail[1] === '"' ? tail.slice(1) : `0${tail}`;
    if (base instanceof Place) return base.operations + tail;
    const frame = this.writing!;
    if (!(base instanceof Call)) {
      frame.isBound = true;
      return base.id + tail;
    }
    if (base.frame !== frame) frame.isBound = true;
    base.isUsed = true;
    return (base.state === STEP ? `[${base.id},${base.depth}]` : -base.id) + tail;
  }

  /** Notes what goes with a call that was written. */
  private attach(frame: Frame, { tail, isBound, sent }: Writer): void {
    if (tail.length > 0) frame.tail = frame.tail === undefined ? tail : [...frame.tail, ...tail];
    if (isBound) frame.isBound = true;
    for (const noteSent of sent?.values() ?? []) noteSent();
  }

  private begin(): Frame {
    const { nextId } = this;
    const [settled = nextId] = this.calls.keys();
    const frame = new Frame(nextId);
    frame.text = `[${nextId}`;
    if (settled - this.told >= TOLD_EVERY) {
      this.told = settled;
      frame.text += `,${settled}`;
    }
    atEndOfTurn(() => this.flush());
    return frame;
  }

  /** Sends the calls of this turn, and then the answers that are ready. */
  flush(): void {
    const frame = this.writing;
    if (frame !== undefined) {
      this.writing = this.last = undefined;
      frame.text += ']]';
      this.send(frame);
    }
    this.references?.flush();
    this.answers?.flush();
  }

  /**
   * Handles a message of the other side.
   * @returns what has to settle before the next message is handled, if something has
   * @throws {RpcError} if it cannot be read: the connection has to end then
   */
  receive(message: Message): unknown {
    const { text, tail } = fromMessage(message);
    checkText(text, this.settings.valueLimits);
    let content: unknown;
    try {
      content = JSON.parse(text);
    } catch {
      throw malformed('a frame is not JSON');
    }
    if (!Array.isArray(content)) {
      const [name = ''] = Object.keys(Object(content));
      return this.handle(name, content as Record<string, unknown>, tail);
    }
    if (content[0] > 0) this.run(content, tail);
    else if (content[0] < 0) this.settle(content, tail);
    else throw malformed('a frame without an id');
    return undefined;
  }

  /** Handles a signal, which its first key names. */
  protected handle(name: string, signal: Record<string, unknown>, tail: Uint8Array | undefined): unknown {
    for (const { signals } of this.settings.features) {
      if (signals !== undefined && Object.hasOwn(signals, name)) return signals[name](this, signal, tail);
    }
    if (name === 'cancel') return this.answers?.cancel(signal.cancel);
    throw malformed('an unknown signal');
  }

  /** Runs the calls of a frame. */
  protected run(frame: unknown[], tail: Uint8Array | undefined): void {
    answersOf(this).run(frame, tail);
  }

  /** Settles calls with their answers. */
  private settle(frame: unknown[], tail: Uint8Array | undefined): void {
    let id = -(frame[0] as number);
    for (let at = 1; at < frame.length; at++) {
      const answer = frame[at];
      if (!isMarked(answer)) {
        this.settleCall(id++)?.resolve(answer);
      } else if (typeof answer.$ === 'number' && !Object.hasOwn(answer, '!')) {
        id = answer.$;
      } else {
        const call = this.settleCall(id++);
        const reader = new Reader(this, { tail, target: this.target });
        let value: unknown;
        try {
          value = reader.read(answer, call);
        } catch (error) {
          call?.reject(error);
          throw error;
        }
        if (Object.hasOwn(answer, '!')) call?.reject(value);
        else call?.resolve(value);
      }
    }
  }

  /** Takes a call out of the table, because it settles. */
  settleCall(id: number): Call | undefined {
    const call = this.calls.get(id);
    this.calls.delete(id);
    if (this.limited !== undefined) {
      this.limited.get(id)?.();
      this.limited.delete(id);
    }
    return call;
  }

  /** Gives up a call: rejects it, and tells the other side if that has it. */
  giveUp(id: number, reason: RpcError): void {
    const call = this.settleCall(id);
    if (call === undefined) return;
    if (call.frame!.sent > 0) this.signal(JSON.stringify({ cancel: [id, reason.code] }));
    call.reject(reason);
  }

  /** Ends what belongs to the connection that has ended. */
  lose(reason: RpcError): void {
    this.epoch++;
    this.answers?.lose(reason);
    this.answers = undefined;
    this.references?.lose(reason);
    this.references = undefined;
  }

  /** The stub of the other side's target. */
  root(): object {
    return stubOf(this, undefined);
  }
}

/** Returns true for a call that is not in the frame that is being written. */
function isElsewhere(base: Base, { writing }: Peer): base is Call {
  return base instanceof Call && (base.frame === undefined || base.frame !== writing);
}

/** Returns the reason why a call cannot be made through a stub. */
function refusalOf({ base, options, path }: Node, { epoch, life }: Peer): RpcError | undefined {
  if (options?.signal?.aborted) {
    const message = `${nameOf({ base, path })}() was not called: its signal was aborted before`;
    return new RpcError('CANCELLED', message, { cause: options.signal.reason });
  }
  if (base === undefined || base instanceof Call) return undefined;
  if (base instanceof Place ? base.life === life : base.epoch === epoch) return undefined;
  if (base instanceof Place)
    return new RpcError('REFERENCE_LOST', 'this stub belongs to an earlier caller: get a new one');
  if (base.disposed !== undefined)
    return new RpcError('REFERENCE_LOST', 'this stub was disposed of', { cause: base.disposed });
  return new RpcError('REFERENCE_LOST', 'this stub was lost with its connection: get a new one');
}

function termsOf({ timeoutMs, traceparent }: CallOptions): string {
  return JSON.stringify({ ms: timeoutMs, trace: traceparent });
}

export function bytesOf(tail: readonly Uint8Array[] | undefined): number {
  return tail === undefined ? 0 : tail.reduce((sum, { length }) => sum + length, 0);
}

export function tooLarge(bytes: number, most: number): string {
  return `${bytes} bytes are more than maxMessageBytes of ${most}: send them in pieces, or as a stream`;
}

/**
 * Runs a job at the end of a turn, some microtasks later. The work of an async function that is resumed in the turn
 * still comes before it.
 */
export function atEndOfTurn(job: () => void): void {
  void Promise.resolve().then().then(job);
}

/** Returns what a peer answers. */
export function answersOf(peer: Peer): Answers {
  const { answering } = peer.settings;
  if (answering === undefined) throw malformed('calls, which this side does not answer');
  peer.answers ??= answering(peer);
  return peer.answers;
}
