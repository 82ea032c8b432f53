import { exceeded, type RpcError } from '../errors.ts';
import type { Caller } from '../types/call-context.ts';
import type { Message } from '../types/message.ts';
import type { RunningCall } from './context.ts';
import { costOf, operationsIn } from './cost.ts';
import { type Bucket, charge, take } from './rates.ts';
import type { ServerSettings } from './settings.ts';

/** Frames that came too fast, in a row, after which the connection ends. This library's clients wait as they are told. */
const MAX_TOO_FAST = 100;
/** The entries in the list of a signal that count as one operation. */
const SIGNALS_AN_OPERATION = 10;

/** Bounds what one client asks for: the rate of its operations, and the memory of its frames whose calls wait. */
export class Gate {
  declare private readonly settings: ServerSettings;
  declare private readonly caller: Caller | undefined;
  declare private known: readonly Bucket[] | undefined;
  /** The number of frames in a row that came too fast. */
  declare private tooFast: number;
  /** The memory of frames whose calls wait, at most. */
  declare private bytes: number;

  constructor(settings: ServerSettings, caller: Caller | undefined) {
    this.settings = settings;
    this.caller = caller;
    this.known = undefined;
    this.tooFast = this.bytes = 0;
  }

  /** True once so many frames in a row came too fast that the connection has to end. */
  get isTooFast(): boolean {
    return this.tooFast >= MAX_TOO_FAST;
  }

  /** Returns the reason why the calls of a frame may not run; undefined if they may. */
  refuse(frame: readonly unknown[], message: Message, waiting: ReadonlyMap<number, RunningCall>): RpcError | undefined {
    const buckets = this.known ?? this.buckets;
    if ('code' in buckets) return buckets; // an RpcError; `instanceof` would look at those of copies, too
    const refused = take(buckets, operationsIn(frame));
    this.tooFast = refused?.code === 'RATE_LIMITED' ? this.tooFast + 1 : 0;
    if (refused !== undefined) return refused;
    if (waiting.size === 0) this.bytes = 0;
    // A frame may run if nothing else waits, whatever its size: messages have limits of their own.
    if (this.bytes === 0) return undefined;
    const { limits } = this.settings;
    const cost = costOf(message);
    const isFull = () => this.bytes > 0 && this.bytes + cost > limits.maxBytesInFlight;
    if (isFull()) {
      const frames = new Set([...waiting.values()].map(({ running }) => running));
      this.bytes = [...frames].reduce((bytes, { cost }) => bytes + cost, 0);
    }
    return isFull() ? exceeded('maxBytesInFlight', limits, 'OVERLOADED') : undefined;
  }

  /** Counts the memory of a frame whose calls wait, and returns it. */
  hold(message: Message): number {
    const cost = costOf(message);
    this.bytes += cost;
    return cost;
  }

  /** Counts a signal, which has no answer, so that it cannot be refused. Returns false if there are too many. */
  signal(given: unknown): boolean {
    const { buckets } = this;
    const operations = 1 + (Array.isArray(given) ? given.length : 0) / SIGNALS_AN_OPERATION;
    return 'code' in buckets || charge(buckets, operations);
  }

  private get buckets(): readonly Bucket[] | RpcError {
    if (this.known !== undefined) return this.known;
    // Not earlier, so that the error reaches calls.
    const buckets = this.settings.shared.rates.open(this.caller);
    if (!('code' in buckets)) this.known = buckets;
    return buckets;
  }
}
