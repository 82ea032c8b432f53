import { SENDS_AT_ANY_TIME } from '#platform';
import { RpcError } from '../../errors/rpc-error.ts';
import { failureContent, readChannelSignal, readFailure } from '../../protocol/channel.ts';
import { ABORT_SIGNAL, BYTES, ITERABLE, PROMISE, READABLE, readId, WRITABLE } from '../../protocol/tags.ts';
import { type Waiting, type WaitingHost, waitingOf } from '../admission.ts';
import type { ExtensionState, Made } from '../extension.ts';
import type { SessionSettings } from '../settings.ts';
import type { Channel, ChannelTable } from './channel.ts';
import { ChannelWriter, type ChannelWriterHost } from './channel-writer.ts';
import { Consumer } from './consumer.ts';
import { Producer } from './producer.ts';
import { receiveIterable, receivePromise, receiveReadable, receiveSignal, receiveWritable } from './receiving.ts';
import { isByteStream, type SendingHost, startConsuming, startProducing, unsendable } from './sending.ts';

/** What channels need of their session. */
export interface ChannelHost extends ChannelWriterHost, WaitingHost {
  readonly settings: SessionSettings;
  /** Whether nothing outlives a frame of the connection. */
  readonly isStateless: boolean;
  readonly drained: Promise<void> | undefined;
  /** Ids of channels begin here. */
  readonly firstId: number;
  busy(): () => void;
  onError(error: unknown, what: string, call: undefined): void;
}

/** The channels of a connection, opened by either side. */
export class Channels implements ChannelTable, SendingHost, ExtensionState {
  readonly #host: ChannelHost;
  readonly #open = new Map<number, Channel>();
  readonly #writer: ChannelWriter;
  readonly #collected = new FinalizationRegistry<Channel>((channel) => {
    this.#forgotten.push(channel);
    // A Worker may not send when garbage collection calls: there it is done with what happens next.
    if (SENDS_AT_ANY_TIME && this.#host.settings.side === 'client') this.#abandonForgotten();
  });
  /** Channels whose streams have been collected. */
  #forgotten: Channel[] = [];
  #nextId: number;
  /** How many of the open ones this side has opened. */
  #own = 0;
  /** What has arrived with the value, or in the frame, that is being read. */
  #arrived: Channel[] = [];
  /** Signals in it that are aborted already: they need no channel, but as much memory. */
  #aborted = 0;
  /** Signals, and other channels, among the arguments of calls that have not ended, by call. */
  readonly #signals = new Map<number, Consumer[]>();
  readonly #passed = new Map<number, Channel[]>();

  constructor(host: ChannelHost) {
    this.#host = host;
    this.#nextId = host.firstId;
    this.#writer = new ChannelWriter(host);
  }

  get counts() {
    return { channels: this.#open.size };
  }

  get waiting(): Waiting {
    return waitingOf(this.#host);
  }

  get drained(): Promise<void> | undefined {
    return this.#host.drained;
  }

  get maxWindow(): number {
    return this.#host.settings.limits.maxStreamWindowBytes;
  }

  /**
   * Says how a value of a `channelName` travels. Nothing happens to it before that is kept.
   * @throws {CloneError | RpcError} where it cannot be sent
   */
  open(name: string, value: object, isArgument: boolean): Made {
    if (name === ABORT_SIGNAL) {
      if (!isArgument) throw unsendable(value, 'an AbortSignal can only be an argument; it');
      const { aborted, reason } = value as AbortSignal;
      if (aborted) return { extension: { name, parts: [null, ...failureContent(reason)] }, keep() {}, takeBack() {} };
    }
    if ((value as Partial<ReadableStream>).locked) {
      throw unsendable(
        value,
        `a ${value.constructor.name} that is locked, because it is being read or written elsewhere,`,
      );
    }
    this.#checkOpening(this.#own);
    const id = this.#nextId++;
    const isBytes = name === READABLE && isByteStream(value as ReadableStream);
    const channel = this.#add(name === WRITABLE ? new Consumer(id, this, name) : new Producer(id, this, name));
    return {
      extension: { name, parts: isBytes ? [id, BYTES] : [id] },
      keep: (call) => {
        if (channel instanceof Consumer) startConsuming(value as WritableStream, channel);
        else startProducing(name, value, channel, this);
        if (name === ABORT_SIGNAL) call?.onSettled(() => channel.leave());
      },
      takeBack: (reason) => channel.lost(reason),
    };
  }

  /** Makes what stands for a value of the other side that is sent over a channel; `callId`: the call that it is an argument of. */
  revive(name: string, [id, ...rest]: unknown[], callId: number | undefined): unknown {
    if (name === ABORT_SIGNAL && id === null) {
      this.#checkCount(this.#aborted++);
      return AbortSignal.abort(readFailure(rest));
    }
    this.#checkOpening(this.#open.size - this.#own);
    const ref = -1 - readId(id);
    if (this.#open.has(ref)) throw new RpcError('MALFORMED_FRAME', 'malformed: a channel that is open already');
    if (name === WRITABLE) {
      const producer = this.#add(new Producer(ref, this, name));
      return this.#watch(...receiveWritable(producer), producer, callId);
    }
    const consumer = this.#add(new Consumer(ref, this, name));
    switch (name) {
      case READABLE:
        return this.#watch(...receiveReadable(consumer, rest[0] === BYTES), consumer, callId);
      case ITERABLE: {
        const iterable = receiveIterable(consumer);
        return this.#watch(iterable, iterable, consumer, callId);
      }
      case PROMISE:
        this.#pass(consumer, callId);
        return receivePromise(consumer);
      default:
        if (callId !== undefined) this.#signals.set(callId, [...(this.#signals.get(callId) ?? []), consumer]);
        return receiveSignal(consumer);
    }
  }

  /** Handles an entry of a frame of channels, which takes so many bytes of memory. */
  receive(entry: unknown, cost: number): void {
    this.#abandonForgotten();
    const [ref, kind, content] = readChannelSignal(entry);
    const channel = this.#open.get(-1 - ref);
    channel?.receive(kind, content, cost);
    // What is unknown ended here while this was on its way.
    this.settle(channel !== undefined);
  }

  /** Told what became of the value, or the frame, that was read: whether someone has what arrived with it. */
  settle(isWanted: boolean): void {
    this.#aborted = 0;
    if (this.#arrived.length === 0) return;
    const arrived = this.#arrived;
    this.#arrived = [];
    if (isWanted) return;
    for (const channel of arrived) channel.abandon(new RpcError('CANCELLED', 'nobody waits for this any more'));
  }

  /**
   * Told that a call has ended. Drops the signals among its arguments, as the caller does when it has the result; where it gets
   * none, it is told. Ends all that was passed to a call of which nothing `hasRun`: nobody has it.
   */
  callEnded(callId: number, isAnswered: boolean, hasRun: boolean): void {
    for (const signal of take(this.#signals, callId)) {
      if (isAnswered) signal.drop();
      else signal.stop();
    }
    for (const channel of take(this.#passed, callId)) {
      if (!hasRun) channel.abandon(new RpcError('CANCELLED', 'the call that it was passed to did not run'));
    }
  }

  /** Told that the caller has given up a call. Aborts the signals among its arguments: their other ends are gone. */
  callGivenUp(callId: number, reason: RpcError): void {
    for (const signal of take(this.#signals, callId)) signal.lost(reason);
  }

  /** Told that the connection is gone: calls that are not running will never begin, and nobody reads what has arrived for them. */
  lostUnread(isRunning: (callId: number) => boolean): void {
    for (const callId of [...this.#passed.keys()]) {
      if (!isRunning(callId)) this.callEnded(callId, true, false);
    }
  }

  /** Drops all that was passed to the calls of a frame that was refused: its sender does the same. */
  frameRefused(firstId: number): void {
    this.settle(false);
    for (const callId of [...this.#signals.keys(), ...this.#passed.keys()]) {
      if (callId >= firstId) this.callEnded(callId, true, true);
    }
  }

  /** Ends all channels, and tells the other side: some of what it has said could not be read. */
  unreadable(error: RpcError): void {
    for (const channel of this.#open.values()) channel.abandon(error);
  }

  closed(): void {
    // Who reads on is not to take for the end what was only closed; events have no end, but that nobody wants more.
    this.lost(new RpcError('NOT_EXECUTED', 'this side closed the connection'));
  }

  /** Ends all channels: the connection is gone. */
  lost(reason: RpcError): void {
    const code = reason.code === 'NOT_EXECUTED' ? 'REFERENCE_LOST' : reason.code;
    const error = new RpcError(code, `it ended with its connection: ${reason.message}`, { cause: reason });
    for (const channel of this.#open.values()) channel.lost(error);
    this.#arrived = [];
    this.#signals.clear();
    // The ids of a client's next calls are others; those of a server begin anew with each connection.
    if (this.#host.settings.side === 'client') this.#passed.clear();
    this.#writer.clear();
  }

  flush(): void {
    this.#abandonForgotten();
    this.#writer.flush();
  }

  write(ref: number, kind: number, content?: unknown): number {
    return this.#writer.write(content === undefined ? [ref, kind] : [ref, kind, content]);
  }

  left(channel: Channel): void {
    if (this.#open.delete(channel.ref) && channel.ref >= 0) this.#own--;
  }

  busy(): () => void {
    return this.#host.busy();
  }

  async dataWithBodies(producer: Producer, chunk: unknown): Promise<void> {
    const { bodies } = this.#writer;
    for (const [holder, bytes] of await this.#host.settings.tables.readBodies!(chunk)) bodies.set(holder, bytes);
    try {
      producer.data(chunk);
    } finally {
      bodies.clear();
    }
  }

  onError(error: unknown, what: string): void {
    this.#host.onError(error, what, undefined);
  }

  #checkOpening(count: number): void {
    if (this.#host.isStateless) {
      throw new RpcError(
        'NOT_CLONEABLE',
        'streams, async iterables, promises and signals cannot be passed over a connection that does not last: use connect() with a WebSocket',
      );
    }
    this.#checkCount(count);
  }

  #checkCount(count: number): void {
    const { maxChannels } = this.#host.settings.limits;
    if (count < maxChannels) return;
    throw new RpcError(
      'LIMIT_EXCEEDED',
      `maxChannels of ${maxChannels} exceeded: read or cancel streams no longer used`,
    );
  }

  #abandonForgotten(): void {
    if (this.#forgotten.length === 0) return;
    for (const channel of this.#forgotten.splice(0)) {
      channel.abandon(new RpcError('CANCELLED', 'a stream was let go of before its end'));
    }
  }

  #add<End extends Channel>(channel: End): End {
    this.#open.set(channel.ref, channel);
    if (channel.ref >= 0) this.#own++;
    return channel;
  }

  /** Returns a value, whose channel is abandoned when `held` has been collected. */
  #watch(value: object, held: object, channel: Channel, callId: number | undefined): object {
    this.#pass(channel, callId);
    this.#collected.register(held, channel);
    return value;
  }

  #pass(channel: Channel, callId: number | undefined): void {
    this.#arrived.push(channel);
    if (callId !== undefined) this.#passed.set(callId, [...(this.#passed.get(callId) ?? []), channel]);
  }
}

/** Takes what there is for a call out of a table. */
function take<End>(table: Map<number, End[]>, callId: number): readonly End[] {
  const found = table.get(callId) ?? [];
  table.delete(callId);
  return found;
}
