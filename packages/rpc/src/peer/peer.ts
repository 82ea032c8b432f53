import { checkText, fromMessage, isMarked } from '@lumenize/structured-clone/messages';
import { FrameError, malformed, RpcError, unsendable } from '../errors.ts';
import { json } from '../protocol.ts';
import type { SessionCounts } from '../types/call-context.ts';
import type { Message } from '../types/message.ts';
import type { Answers } from './answers.ts';
import { Call, callOf, Frame, failedCall, REJECTED, RESOLVED, STEP, WAITING } from './call.ts';
import { limit } from './limit.ts';
import { goOnFrom } from './local.ts';
import type { CallOptions, Settings } from './options.ts';
import { readValue } from './reader.ts';
import type { References } from './references.ts';
import { bytesOf, mostText, placed, tooLarge } from './sizes.ts';
import { type Base, lost, type Node, nameOf, Place, recorder, stubOf } from './stub.ts';
import { Writer } from './writer.ts';

/** The calls of a side that has made none, as most servers: an empty Map takes memory for each connection. */
const NONE: Map<number, Call> = new Map();

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
  declare protected nextId: number;
  /** Ends calls that wait on this side, for the time when no connection follows; undefined until one waits. */
  declare protected ends: Set<(reason: RpcError) => void> | undefined;
  /** The id of the first reference that this side gives. */
  declare firstReference: number;
  /** The frame that is being written in this turn. */
  declare writing: Frame | undefined;
  /** The call in it that a chain may go on from. */
  declare private last: Call | undefined;

  constructor(settings: Settings, target: object | undefined) {
    this.settings = settings;
    this.target = target;
    this.calls = NONE;
    this.epoch = this.life = 0;
    this.nextId = this.firstReference = 1;
    this.answers = this.references = this.ends = this.writing = this.last = undefined;
  }

  /** Called when a call was answered. */
  answered(): void {}

  get counts(): SessionCounts {
    const { exports = 0, imports = 0, channels = 0 } = this.references?.counts ?? {};
    return { callsInFlight: this.calls.size, exports, imports, channels, heldResults: this.answers?.held ?? 0 };
  }

  /** True if calls are sent at once. If not, `refusal` may have a reason why none can be made. */
  declare isReady: boolean;
  protected abstract refusal(): RpcError | undefined;
  /** Sends a frame of calls, or keeps it until there is a connection. */
  protected abstract send(frame: Frame): void;
  /** Sends answers or a signal, or drops them if there is no connection. */
  abstract signal(message: Message): void;
  /** Ends the connection for good. */
  abstract close(): void;
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
    const refused =
      (this.isReady ? undefined : this.refusal()) ??
      (base === undefined && options === undefined ? undefined : refusalOf(node, this));
    if (refused !== undefined) return failedCall(refused);
    if (base instanceof Call && (base.frame === undefined || base.frame !== this.writing)) {
      return this.goOn(base, node, args, waited);
    }
    const { maxMessageBytes, maxOperationsPerFrame } = this.settings.limits;
    let tail = path;
    let writer: Writer | undefined;
    if (args !== undefined) {
      tail += ',[]';
      if (args.length > 0) {
        writer = waited ?? new Writer(this, node);
        try {
          tail = `${path},${writer.write(args)}`;
        } catch (error) {
          const told = unsendable(error, `${nameOf(node)}(): `, 'at argument $1');
          if (writer.isRecording || recorder !== undefined) throw told;
          return failedCall(told);
        }
        const { waits } = writer;
        if (waits !== undefined) {
          const ready = Promise.all(waits).catch((error) => {
            throw unsendable(error, `${nameOf(node)}(): `);
          });
          return this.makeAfter(ready, node, () => this.make(node, args, writer));
        }
      }
    }
    const before = this.writing;
    const bytes = tail.length + (writer === undefined ? 0 : bytesOf(writer.tail));
    if (before !== undefined) {
      const isFull =
        before.text.length + bytesOf(before.tail) + bytes > maxMessageBytes ||
        before.text.length + tail.length > mostText(this.settings) ||
        this.nextId - before.firstId >= maxOperationsPerFrame;
      if (isFull) this.flush();
    }
    // What the arguments need may have filled the frame.
    const isElsewhere = writer?.frame !== undefined && writer.frame !== this.writing;
    if (isElsewhere || (base instanceof Call && base.frame !== this.writing)) {
      if (isElsewhere) writer!.isApart = true;
      return this.make(node, args, writer);
    }
    if (bytes > maxMessageBytes) {
      return failedCall(new RpcError('TOO_LARGE', `${nameOf(node)}(): ${tooLarge(bytes, maxMessageBytes)}`));
    }
    if (writer !== undefined) tail = placed(tail, writer.tail, this.writing?.tail);
    const call = this.append(base, tail, options);
    const frame = this.writing!;
    if (writer !== undefined) {
      if (writer.tail.length > 0) frame.tail = [...(frame.tail ?? []), ...writer.tail];
      if (writer.isBound) frame.isBound = true;
      for (const noteSent of writer.sent?.values() ?? []) noteSent();
    }
    if (options !== undefined) limit(call, options, nameOf(node), (reason) => this.giveUp(call.id, reason));
    return call;
  }

  /** Goes on from the result of a call that is not in the frame that is being written. */
  private goOn(base: Call, node: Node, args: unknown[] | undefined, waited: Writer | undefined): Call {
    if (base.state === REJECTED) return failedCall(base.value);
    if (base.state === RESOLVED) return goOnFrom(this, base.value, node, args);
    if (base.state !== STEP) return this.makeAfter(base.promise(), node, (value) => goOnFrom(this, value, node, args));
    const { path, options } = node;
    return this.make({ peer: this, base: this.fetch(base), path, options }, args, waited);
  }

  /** Makes a call once something has settled, unless it is given up before. */
  private makeAfter<Value>(promise: Promise<Value>, node: Node, make: (value: Value) => Call): Call {
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const call = callOf(
      Promise.race([promise.then((value) => call.state === WAITING && make(value).promise()), ended]),
    );
    this.ends ??= new Set();
    this.ends.add(reject);
    limit(call, node.options ?? {}, nameOf(node), reject);
    const { ended: unlimit } = call;
    call.ended = () => {
      this.ends!.delete(reject);
      unlimit?.();
    };
    return call;
  }

  /** Returns the call that fetches the result of a step from the other side. */
  fetch(step: Call): Call {
    let fetching = step.value as Call | undefined;
    if (fetching === undefined) {
      const refused = this.isReady ? undefined : this.refusal();
      step.value = fetching = refused ? failedCall(refused) : this.append(step, '', undefined);
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
    let { writing: frame } = this;
    let call: Call;
    if (base instanceof Call && base === this.last && !base.isUsed && options === undefined) {
      call = new Call(base.id, frame, base.depth + 1);
      base.state = STEP;
      frame!.text += tail;
    } else {
      const id = this.nextId++;
      if (frame === undefined) {
        frame = this.writing = new Frame(id, this.head(id));
        atEndOfTurn(() => this.flush());
      }
      call = new Call(id, frame, base instanceof Place ? base.depth : 0);
      const terms = (id === frame.firstId ? '' : '],[') + (options === undefined ? '' : termsOf(options));
      if (base !== undefined) frame.text += terms + this.receiver(base, frame) + tail;
      else frame.text += terms + (tail[1] === '"' ? tail.slice(1) : `0${tail}`);
    }
    this.last = options === undefined ? call : undefined;
    if (this.calls === NONE) this.calls = new Map();
    this.calls.set(call.id, call);
    return call;
  }

  /** Returns what a frame begins with. */
  protected head(id: number): string {
    return `[${id},[`;
  }

  /** Returns what an entry begins with that is made on `base`. */
  private receiver(base: NonNullable<Base>, frame: Frame): string {
    if (base instanceof Place) return base.operations;
    if (!(base instanceof Call) || base.frame !== frame) frame.isBound = true;
    if (!(base instanceof Call)) return `${base.id}`;
    base.isUsed = true;
    return base.state === STEP ? `[${base.id},${base.depth}]` : `${-base.id}`;
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
   * @returns an `Ahead`, if something has to settle before a client handles the next one
   * @throws {RpcError} if it cannot be read: the connection has to end then
   */
  receive(message: Message): unknown {
    const { text, tail = undefined } = typeof message === 'string' ? { text: message } : fromMessage(message);
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
      const isMarkedAnswer = isMarked(answer);
      const isError = isMarkedAnswer && Object.hasOwn(answer, '!');
      if (isMarkedAnswer && typeof answer.$ === 'number' && !isError) {
        id = answer.$;
        continue;
      }
      const call = this.calls.get(id);
      this.calls.delete(id++);
      try {
        const value = isMarkedAnswer ? readValue(this, answer, { tail, target: this.target, call }) : answer;
        call?.settle(isError ? REJECTED : RESOLVED, value);
      } catch (error) {
        // A value that is refused fails its call. One that nobody could have written ends the connection.
        const isMalformed = error instanceof FrameError || (error as { code?: unknown }).code === 'MALFORMED';
        call?.reject(isMalformed ? error : unsendable(error, ''));
        if (isMalformed) throw error;
      }
    }
  }

  /** Takes a call out of the table, because it settles. */
  settleCall(id: number): Call | undefined {
    const call = this.calls.get(id);
    this.calls.delete(id);
    return call;
  }

  /** Gives up a call: rejects it, and tells the other side if that has it. */
  giveUp(id: number, reason: RpcError): void {
    const call = this.settleCall(id);
    if (call === undefined) return;
    if (call.frame!.sent > 0) this.signal(json({ cancel: [id, reason.code] }));
    call.reject(reason);
  }

  /** Ends what belongs to the connection that has ended. */
  lose(reason: RpcError): void {
    this.epoch++;
    this.answers?.lose(reason);
    const { references } = this;
    // What ends may pass something, which then belongs to the next connection.
    this.answers = this.references = undefined;
    references?.lose(reason);
  }

  /** The stub of the other side's target. */
  root(): object {
    return stubOf(this, undefined);
  }
}

/** Returns the reason why a call cannot be made through a stub. */
function refusalOf({ base, options, path }: Node, { epoch, life }: Peer): RpcError | undefined {
  if (options?.signal?.aborted) {
    const message = `${nameOf({ base, path })}() was not called: its signal was aborted before`;
    return new RpcError('CANCELLED', message, { cause: options.signal.reason });
  }
  if (base === undefined || base instanceof Call || base.epoch === (base instanceof Place ? life : epoch))
    return undefined;
  return lost(base.disposed);
}

function termsOf({ timeoutMs, traceparent }: CallOptions): string {
  if (timeoutMs === undefined && traceparent === undefined) return '';
  return `${json({ ms: timeoutMs, trace: traceparent })},`;
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
