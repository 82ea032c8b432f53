import { readTree, resolveLimits } from '@lumenize/structured-clone/messages';
import type { RpcError } from '../errors/rpc-error.ts';
import { asFrameError, exceeded, malformedFrame } from '../protocol/errors.ts';
import { countedBytes } from '../protocol/message.ts';
import type { CallFrame } from '../protocol/operation.ts';
import { expiredError, isExpired } from '../server/access/caller.ts';
import type { Gate } from '../server/limits/gate.ts';
import type { SharedContext } from '../server/options.ts';
import { Waiting } from '../session/admission.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import { defectBehind } from '../session/incoming/thrown.ts';
import type { RpcLimits } from '../session/limits.ts';
import {
  type ExpressionUse,
  isCall,
  isMapper,
  type Mapper,
  scanExpression,
  total,
  type Work,
  type WorkBehind,
  workOf,
  workOfCallback,
} from './expressions.ts';

/** The member of the main target that throws the error of a refused call. A client that calls it learns nothing new. */
export const REFUSAL = '~refusal';

/** Largest number of consecutive refusals. One more ends the connection; well-behaved clients never get there. */
const MAX_REFUSED = 100;

/**
 * Decides which messages of a client reach the Cap'n Web session, because Cap'n Web itself limits only the size of a
 * message. A refused call is replaced by a call that fails, because both sides number calls by counting them.
 */
export class MessageAdmission {
  /** Admits calls like the library's own sessions. The memory of a message is held until its call is released. */
  readonly calls: Waiting;
  /** Length of the longest list that was exchanged. It bounds the lists that a nested callback may run over. */
  longestList = 1;
  /** Number of objects of the value that is being converted. */
  objects = 0;
  /** Bytes of the last message that arrived. */
  messageBytes = 0;
  /** The error of the last refused call, which the call that replaces it throws. */
  refusal: RpcError | undefined;
  readonly #context: SharedContext;
  readonly #caller: Caller;
  readonly #isBatch: boolean;
  readonly #limits: RpcLimits;
  readonly #limitsOfText;
  readonly #gate: Gate;
  /** Calls that the client has made and not yet released, by the number that both sides give them. */
  readonly #begun = new Map<unknown, BegunCall>();
  /** Streams that the client sends, with what is known of those that become a Blob. */
  readonly #pipes = new Map<unknown, SentBlob | undefined>();
  /** The work of copying values that are no results of calls, by the number that both sides give them. */
  readonly #work = new Map<unknown, Work>();
  readonly #workBehind: WorkBehind = (id) => this.#work.get(id);
  /** Ids of the values that the client has passed by reference. */
  readonly #passed = new Set<number>();
  #nextId = 1;
  #refused = 0;

  constructor(context: SharedContext, caller: Caller, isBatch: boolean) {
    this.#context = context;
    this.#caller = caller;
    this.#isBatch = isBatch;
    this.#limits = context.settings.limits;
    this.#limitsOfText = resolveLimits({ maxObjects: this.#limits.maxObjects });
    // The gate need not end the connection of a client that stays too fast: `MAX_REFUSED` does.
    const waiting = new Waiting(this.#limits, context.load);
    this.#gate = context.openGate(waiting, caller, () => {});
    this.calls = waiting;
  }

  /** Counts of the references, streams and results that the connection holds. */
  get counts() {
    return { imports: this.#passed.size, channels: this.#pipes.size, heldResults: this.#begun.size };
  }

  /**
   * Counts objects of a value that was received. They may be more than the text had: a session copies what the text
   * refers to.
   * @throws {RpcError} `LIMIT_EXCEEDED` if the value has too many
   */
  countObjects(count: number): void {
    this.objects += count;
    if (this.objects > this.#limits.maxObjects) throw exceeded('maxObjects', this.#limits);
  }

  /** Notes the length of a list that is exchanged. */
  noteList({ length }: readonly unknown[]): void {
    this.longestList = Math.max(this.longestList, length);
  }

  /**
   * Returns the message to pass to the session for a text that has arrived.
   * @throws {RpcError} if the connection has to end
   */
  receive(text: string): unknown[] {
    try {
      const { maxMessageBytes } = this.#limits;
      this.messageBytes = countedBytes(text, maxMessageBytes);
      if (this.messageBytes > maxMessageBytes) throw exceeded('maxMessageBytes', this.#limits, '', 'TOO_LARGE');
      const message = readTree(text, this.#limitsOfText);
      if (!Array.isArray(message)) throw malformedFrame('a message that is no list');
      return this.#admit(message);
    } catch (error) {
      const refusal = asFrameError(error);
      this.#context.refusals.add(refusal, 'a connection', this.#caller);
      throw refusal;
    }
  }

  /**
   * Called with each message that the session sends. Stops counting a reference that the message releases, or a write
   * to a stream that it answers. Returns a release that was held back for the message, and is due now.
   */
  sent([kind, id]: readonly unknown[]): readonly unknown[] | undefined {
    if (kind === 'release') this.#passed.delete(id as number);
    const call = kind === 'resolve' || kind === 'reject' ? this.#begun.get(id) : undefined;
    if (call === undefined) return undefined;
    call.isAnswered = true;
    // What the call was made on has ended, too.
    if (kind === 'resolve') {
      let on = this.#begun.get(call.on);
      for (; on?.isAnswered === false; on = this.#begun.get(on.on)) on.isAnswered = true;
    }
    // A client never releases the result of a write to a stream.
    if (call.isStream) this.#released(id);
    return call.release;
  }

  #admit(message: unknown[]): unknown[] {
    const [kind, first, second] = message;
    // A release asks for nothing, and may have been held back. It must not cost the calls that still run their answers.
    if (kind !== 'release' && isExpired(this.#caller.expiresAt)) throw expiredError();
    if (kind === 'push' || kind === 'stream') return this.#call(message);
    if (kind === 'pipe') {
      const hint = ': pass fewer streams at once';
      if (this.#pipes.size >= this.#limits.maxChannels) throw exceeded('maxChannels', this.#limits, hint);
      this.#pipes.set(this.#nextId++, undefined);
    } else if (kind === 'release') {
      if (!Number.isSafeInteger(second) || (second as number) < 1) throw malformedFrame(`a release of ${second}`);
      const call = this.#begun.get(first);
      if (call !== undefined && !call.isAnswered && call.release === undefined) {
        // The call may be waiting, and its arguments take memory meanwhile. Only its answer shows when it has ended. A
        // batch would wait for that, so there it counts until the batch has ended.
        if (this.#isBatch) return message;
        call.release = message;
        return ['pull', first];
      }
      this.#released(first);
    } else if (kind === 'resolve' || kind === 'reject' || kind === 'abort') {
      // Its content runs like the content of a call, but no failing message can replace it: the connection ends.
      const asked = scanExpression(kind === 'abort' ? first : second);
      const refusal =
        this.#refusalOf(asked, this.#workOf(asked)) ??
        (asked.operations > 0 ? this.#gate.take(asked.operations) : undefined);
      if (refusal !== undefined) throw refusal;
      this.#note(asked);
    }
    return message;
  }

  #call(message: unknown[]): unknown[] {
    // Ends the connection instead of refusing each call, because refused calls have to be released, too.
    if (this.#begun.size >= this.#limits.maxReferences) {
      const hint = ' by results that are held: await what calls return, or dispose of it';
      throw exceeded('maxReferences', this.#limits, hint);
    }
    const id = this.#nextId++;
    const asked = scanExpression(message[1]);
    const work = this.#workOf(asked);
    const frame = { cost: this.messageBytes, charge: Math.max(asked.operations, 1), holders: 0 } as BegunCall;
    frame.isStream = message[0] === 'stream';
    frame.isAnswered = false;
    if (isCall(message[1])) frame.on = (message[1] as unknown[])[1];
    const refusal = this.#refusalOf(asked, work) ?? this.#gate.admit(frame);
    if (refusal === undefined) {
      this.#refused = 0;
      this.#begun.set(id, frame);
      if (work !== undefined && !isCall(message[1])) this.#work.set(id, work);
      this.#noteChunk(message[1], frame);
      this.calls.hold(frame);
      this.#note(asked, frame);
      return message;
    }
    const behind = defectBehind(refusal);
    if (behind !== undefined) this.#context.onError(behind.defect, 'a frame', undefined);
    this.#context.refusals.add(refusal, 'a frame', this.#caller);
    if (++this.#refused > MAX_REFUSED) throw refusal;
    this.#begun.set(id, { ...frame, cost: 0 });
    this.refusal = refusal;
    return [message[0], ['pipeline', 0, [REFUSAL], []]];
  }

  /**
   * Returns the work of copying what an expression refers to, with the expression itself; undefined if it can be no more
   * than that.
   */
  #workOf({ expression, mappers }: ExpressionUse): Work | undefined {
    if (this.#work.size === 0 && mappers.length === 0 && isCall(expression)) return undefined;
    return workOf(expression, this.#workBehind);
  }

  #refusalOf({ expression, operations, references }: ExpressionUse, work: Work | undefined): RpcError | undefined {
    const limits = this.#limits;
    // A use of `map` counts its own work when it runs, and then knows its list.
    if (work !== undefined && !isMapper(expression) && total(work, this.longestList) > limits.maxMapOperations) {
      return exceeded('maxMapOperations', limits, ': await results before you put them into others');
    }
    if (operations > limits.maxOperationsPerFrame) return exceeded('maxOperationsPerFrame', limits);
    const added = [...references].filter((id) => !this.#passed.has(id)).length;
    if (this.#passed.size + added <= limits.maxReferences) return undefined;
    return exceeded('maxReferences', limits, ': pass fewer functions and targets');
  }

  #note({ mappers, references, blobs }: ExpressionUse, call?: BegunCall): void {
    this.#boundMaps(mappers);
    for (const id of blobs) if (this.#pipes.has(id)) this.#pipes.set(id, { call, bytes: 0 });
    for (const id of references) this.#passed.add(id);
  }

  /**
   * Counts the memory of a chunk of a Blob until its stream and the call are released, and not with the chunk: the
   * session collects them all.
   */
  #noteChunk(expression: unknown, frame: BegunCall): void {
    const blob = this.#pipes.get((expression as unknown[] | null)?.[1]);
    if (blob === undefined) return;
    blob.bytes += frame.cost;
    this.calls.bytes += frame.cost;
    frame.cost = 0;
  }

  /**
   * Bounds the work of the `map` callbacks in one message. Cap'n Web's session goes through a callback's instruction
   * list once for each element, and copies all but the last instruction with `slice`. The replaced `slice` counts this
   * work, and stops a callback that exceeds the limits. Nested callbacks are copied along, so each of them is counted as
   * if it ran for the longest list.
   */
  #boundMaps(mappers: readonly Mapper[]): void {
    const limits = this.#limits;
    let spent = 0;
    for (const mapper of mappers) {
      const work = workOfCallback(mapper, this.#workBehind);
      const instructions = mapper[4];
      let elements = 0;
      const slice = (...range: [number?, number?]): unknown[] => {
        spent += total(work, this.longestList);
        const isOver = ++elements > limits.maxMapElements;
        if (isOver || spent > limits.maxMapOperations) {
          throw exceeded(isOver ? 'maxMapElements' : 'maxMapOperations', limits, ': map fewer elements');
        }
        return Array.prototype.slice.apply(instructions, range);
      };
      // Not enumerable, so that it is not copied with the list.
      Object.defineProperty(instructions, 'slice', { value: slice });
    }
  }

  /** Counts a call as released. A client holds each result once, so the session releases it when the client does. */
  #released(id: unknown): void {
    const frame = this.#begun.get(id);
    const { call, bytes = 0 } = this.#pipes.get(id) ?? {};
    if (call !== undefined && call.holders > 0) call.cost += bytes;
    else this.calls.bytes -= bytes;
    this.#pipes.delete(id);
    this.#work.delete(id);
    if (this.#begun.delete(id)) this.calls.letGo(frame!);
  }
}

/** A call that is not released, with the memory of its message. */
interface BegunCall extends CallFrame {
  cost: number;
  /** True for a write to a stream. */
  isStream: boolean;
  /** The number of the call on whose result it was made, if it was. */
  on?: unknown;
  isAnswered: boolean;
  /** The client's release of the call, held back until the call is answered. */
  release?: readonly unknown[];
}

/** A Blob that the client sends as a stream: the call that it is passed to, and the bytes that were written to it. */
interface SentBlob {
  readonly call: BegunCall | undefined;
  bytes: number;
}
