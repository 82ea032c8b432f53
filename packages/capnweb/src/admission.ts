import type { RpcError } from '@lumenize/rpc';
import { type AdaptedSession, malformed, refusal, type ServerSettings } from '@lumenize/rpc/adapter';
import { checkText } from '@lumenize/structured-clone/messages';
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
  /** Length of the longest list that was exchanged. It bounds the lists that a nested callback may run over. */
  longestList = 1;
  /** Number of objects of the value that is being converted. */
  objects = 0;
  /** The error of the last refused call, which the call that replaces it throws. */
  refusal: RpcError | undefined;
  readonly #session: AdaptedSession;
  readonly #isBatch: boolean;
  /** Length of the last message that arrived. */
  #length = 0;
  /** Bytes of messages whose calls have not ended. */
  #bytes = 0;
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

  constructor(session: AdaptedSession, isBatch: boolean) {
    this.#session = session;
    this.#isBatch = isBatch;
  }

  get #limits() {
    return this.#session.settings.limits;
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
    if (this.objects > this.#limits.maxObjects) throw exceeded('maxObjects', this.#limits, '');
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
      this.#length = text.length;
      if (text.length > this.#limits.maxMessageBytes) throw exceeded('maxMessageBytes', this.#limits, '', 'TOO_LARGE');
      checkText(text, this.#session.settings.valueLimits, 0, 1);
      return this.#admit(parse(text));
    } catch (error) {
      throw this.#session.refuse(error, 'a connection');
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
    if (kind !== 'release') this.#session.requireValid();
    if (kind === 'push' || kind === 'stream') return this.#call(message);
    if (kind === 'pipe') {
      const { maxReferences } = this.#limits;
      if (this.#passed.size + this.#pipes.size >= maxReferences) {
        throw exceeded('maxReferences', this.#limits, ': pass fewer streams at once');
      }
      this.#pipes.set(this.#nextId++, undefined);
    } else if (kind === 'release') {
      if (!Number.isSafeInteger(second) || (second as number) < 1) throw malformed(`a release of ${second}`);
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
      const refused =
        this.#refusalOf(asked, this.#workOf(asked)) ??
        (asked.operations > 0 ? this.#session.take(asked.operations) : undefined);
      if (refused !== undefined) throw refused;
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
    const call: BegunCall = { id, cost: this.#length, isStream: message[0] === 'stream', isAnswered: false };
    if (isCall(message[1])) call.on = (message[1] as unknown[])[1];
    const refused =
      this.#refusalOf(asked, work) ??
      this.#session.take(Math.max(asked.operations, 1)) ??
      this.#refusalOfBytes(call.cost);
    if (refused === undefined) {
      this.#refused = 0;
      this.#begun.set(id, call);
      this.#bytes += call.cost;
      if (work !== undefined && !isCall(message[1])) this.#work.set(id, work);
      this.#noteChunk(message[1], call);
      this.#note(asked, call);
      return message;
    }
    this.#session.refuse(refused, 'a frame');
    if (++this.#refused > MAX_REFUSED) throw refused;
    call.cost = 0;
    this.#begun.set(id, call);
    this.refusal = refused;
    return [message[0], ['pipeline', 0, [REFUSAL], []]];
  }

  /** A message may run if nothing else waits, whatever its size: messages have limits of their own. */
  #refusalOfBytes(bytes: number): RpcError | undefined {
    const isFull = this.#bytes > 0 && this.#bytes + bytes > this.#limits.maxBytesInFlight;
    return isFull ? exceeded('maxBytesInFlight', this.#limits, '', 'OVERLOADED') : undefined;
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
    if (operations > limits.maxOperationsPerFrame) return exceeded('maxOperationsPerFrame', limits, '');
    const added = [...references].filter((id) => !this.#passed.has(id)).length;
    if (this.#passed.size + this.#pipes.size + added <= limits.maxReferences) return undefined;
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
  #noteChunk(expression: unknown, call: BegunCall): void {
    const blob = this.#pipes.get((expression as unknown[] | null)?.[1]);
    if (blob === undefined) return;
    blob.bytes += call.cost;
    call.cost = 0;
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
    const { call, bytes = 0 } = this.#pipes.get(id) ?? {};
    this.#pipes.delete(id);
    this.#work.delete(id);
    // A Blob counts for as long as the call that it was passed to.
    if (call !== undefined && this.#begun.has(call.id)) call.cost += bytes;
    else this.#bytes -= bytes;
    this.#bytes -= this.#begun.get(id)?.cost ?? 0;
    this.#begun.delete(id);
  }
}

/** Parses a message. @throws {RpcError} `MALFORMED_FRAME` if it is no list */
function parse(text: string): unknown[] {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw malformed('a message is not JSON');
  }
  if (!Array.isArray(message)) throw malformed('a message that is no list');
  return message;
}

/** Returns the error for a limit that is exceeded. `hint` completes its message. */
export function exceeded(
  name: keyof ServerSettings['limits'],
  limits: ServerSettings['limits'],
  hint: string,
  code: 'LIMIT_EXCEEDED' | 'TOO_LARGE' | 'OVERLOADED' = 'LIMIT_EXCEEDED',
): RpcError {
  return refusal(code, `${name} of ${limits[name]} exceeded${hint}`);
}

/** A call that is not released, with the memory of its message. */
interface BegunCall {
  /** The number that both sides give it. */
  readonly id: number;
  /** The bytes that its message takes until it is released. */
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
