import { asRpcError, RpcError } from '../errors/rpc-error.ts';
import { malformedFrame } from '../protocol/malformed.ts';
import { expiredError, isExpired } from '../server/access/caller.ts';
import type { SharedContext } from '../server/other-protocol.ts';
import type { Rate } from '../session/incoming/admission.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import { type Asked, type LongestList, lookThrough, MapBudget } from './expression.ts';

/** The member of the main target that throws why a message was refused. Whoever calls it by itself is told nothing new. */
export const REFUSAL = '~refusal';

/** Refusals in a row after which the connection ends: well-behaved clients never get there. */
const MAX_REFUSED = 100;

/**
 * Decides which messages of a client the session gets to see: Cap'n Web has no limits of its own beyond the size of one. A call
 * that is refused is replaced by one that fails, because both sides number calls by counting them.
 */
export class MessageAdmission {
  readonly #context: SharedContext;
  readonly #caller: Caller;
  readonly #rates: Rate | null;
  /** Bytes of messages whose calls the client has begun and not yet released, by the number that both sides give them. */
  readonly #begun = new Map<number, number>();
  readonly #streamed = new Set<number>();
  readonly #pipes = new Set<number>();
  /** Numbers of what the client has passed by reference. */
  readonly #passed = new Set<number>();
  readonly #longest: LongestList;
  #nextId = 1;
  #bytes = 0;
  #refused = 0;
  /** Bytes of the message that arrived last. */
  messageBytes = 0;
  /** Why the message that is being read was refused. */
  refusal: RpcError | undefined;

  constructor(context: SharedContext, caller: Caller, longest: LongestList) {
    this.#longest = longest;
    this.#context = context;
    this.#caller = caller;
    this.#rates = context.rates.open(caller);
  }

  get begun(): number {
    return this.#begun.size;
  }

  get passed(): number {
    return this.#passed.size;
  }

  get pipes(): number {
    return this.#pipes.size;
  }

  /**
   * Returns the message that the session is to get for a text that has arrived.
   * @throws {RpcError} where the connection has to end
   */
  receive(text: string): unknown[] {
    try {
      return this.#receive(text);
    } catch (error) {
      const refusal = asRpcError(error, 'MALFORMED_FRAME');
      this.#context.refusals.add(refusal, 'a connection', this.#caller);
      throw refusal;
    }
  }

  /** Notes what a message says that is sent: what is answered or released need not be counted any more. */
  sent(message: unknown): void {
    const [kind, id] = message as [string, number];
    if (kind === 'release') this.#passed.delete(id);
    // Whoever writes into a stream does not release what comes of it.
    else if ((kind === 'resolve' || kind === 'reject') && this.#streamed.delete(id)) this.#released(id);
  }

  #receive(text: string): unknown[] {
    if (isExpired(this.#caller.expiresAt)) throw expiredError();
    const { maxMessageBytes } = this.#limits;
    const bytes = byteLength(text, maxMessageBytes);
    if (bytes > maxMessageBytes) throw new RpcError('TOO_LARGE', `maxMessageBytes of ${maxMessageBytes} exceeded`);
    this.messageBytes = bytes;
    const message = parse(text);
    switch (message[0]) {
      case 'push':
      case 'stream':
        return this.#admit(message, bytes);
      case 'pipe':
        return this.#pipe(message);
      case 'resolve':
      case 'reject':
        return this.#answer(message, message[2]);
      case 'abort':
        return this.#answer(message, message[1]);
      case 'release':
        this.#release(message[1], message[2]);
        return message;
      default:
        return message;
    }
  }

  #admit(message: unknown[], bytes: number): unknown[] {
    const { maxReferences } = this.#limits;
    // Not refused one by one: what is refused has to be released too.
    if (this.#begun.size >= maxReferences) {
      const hint = 'by results that are held: await what calls return, or dispose of it';
      throw new RpcError('LIMIT_EXCEEDED', `maxReferences of ${maxReferences} exceeded ${hint}`);
    }
    const id = this.#nextId++;
    if (message[0] === 'stream') this.#streamed.add(id);
    const asked = lookThrough(message[1]);
    const refusal = this.#refusalOf(asked, bytes);
    this.#begun.set(id, refusal === undefined ? bytes : 0);
    if (refusal === undefined) {
      this.#bytes += bytes;
      this.#refused = 0;
      this.#boundMaps(asked);
      this.#pass(asked);
      return message;
    }
    this.#context.refusals.add(refusal, 'a frame', this.#caller);
    if (++this.#refused > MAX_REFUSED) throw refusal;
    this.refusal = refusal;
    return [message[0], ['pipeline', 0, [REFUSAL], []]];
  }

  /** Admits an answer. Its content runs as that of a call does, but nothing can be put in place of it. */
  #answer(message: unknown[], expression: unknown): unknown[] {
    const asked = lookThrough(expression);
    const { maxOperationsPerFrame } = this.#limits;
    if (asked.operations > maxOperationsPerFrame) throw tooManyOperations(maxOperationsPerFrame);
    const refusal = asked.operations > 0 ? this.#rates?.take(asked.operations) : undefined;
    if (refusal !== undefined) throw refusal;
    this.#boundMaps(asked);
    this.#pass(asked);
    return message;
  }

  #boundMaps({ mappers }: Asked): void {
    const budget = new MapBudget(this.#limits, this.#longest);
    for (const mapper of mappers) budget.bound(mapper.instructions);
  }

  #refusalOf({ operations, references }: Asked, bytes: number): RpcError | undefined {
    const { maxOperationsPerFrame, maxBytesInFlight, maxReferences } = this.#limits;
    if (operations > maxOperationsPerFrame) return tooManyOperations(maxOperationsPerFrame);
    if (this.#passed.size + references.length > maxReferences) {
      return new RpcError(
        'LIMIT_EXCEEDED',
        `maxReferences of ${maxReferences} exceeded: pass fewer functions and targets`,
      );
    }
    if (this.#bytes > 0 && this.#bytes + bytes > maxBytesInFlight) {
      const hint = 'call again when others have been answered';
      return new RpcError('OVERLOADED', `maxBytesInFlight of ${maxBytesInFlight} exceeded: ${hint}`);
    }
    return this.#rates?.take(Math.max(operations, 1));
  }

  #pipe(message: unknown[]): unknown[] {
    const { maxChannels } = this.#limits;
    if (this.#pipes.size >= maxChannels) {
      throw new RpcError('LIMIT_EXCEEDED', `maxChannels of ${maxChannels} exceeded: pass fewer streams at once`);
    }
    this.#pipes.add(this.#nextId++);
    return message;
  }

  #pass({ references }: Asked): void {
    for (const id of references) this.#passed.add(id);
    const { maxReferences } = this.#limits;
    if (this.#passed.size <= maxReferences) return;
    throw new RpcError(
      'LIMIT_EXCEEDED',
      `maxReferences of ${maxReferences} exceeded: pass fewer functions and targets`,
    );
  }

  #release(id: unknown, count: unknown): void {
    if (!Number.isSafeInteger(count) || (count as number) < 1) throw malformedFrame(`a release of ${count}`);
    this.#released(id as number);
  }

  /** Counts a call as released. A client holds each once, so that a session lets go of it when the client does. */
  #released(id: number): void {
    const bytes = this.#begun.get(id);
    this.#pipes.delete(id);
    if (bytes === undefined) return;
    this.#begun.delete(id);
    this.#bytes -= bytes;
  }

  get #limits() {
    return this.#context.settings.limits;
  }
}

function tooManyOperations(limit: number): RpcError {
  return new RpcError('LIMIT_EXCEEDED', `maxOperationsPerFrame of ${limit} exceeded`);
}

function parse(text: string): unknown[] {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw malformedFrame('a message that is no JSON');
  }
  if (!Array.isArray(message)) throw malformedFrame('a message that is no list');
  return message;
}

/** Counts the bytes of a text in UTF-8, where it may have more than there may be. */
function byteLength(text: string, max: number): number {
  return text.length * 3 <= max ? text.length : new TextEncoder().encode(text).length;
}
