import { CloneError } from '@lumenize/structured-clone';
import { SENDS_AT_ANY_TIME } from '#platform';
import { RpcError } from '../../errors/rpc-error.ts';
import { type ChannelSignal, isBytes, readChannelSignal, readFailure } from '../../protocol/channel.ts';
import { exceeded, isTooLarge, malformedFrame } from '../../protocol/errors.ts';
import { costOf, FrameWriter, FULL_SIZE } from '../../protocol/frame-writer.ts';
import { CHANNELS, readId } from '../../protocol/tags.ts';
import { hasBrand } from '../../session/brand.ts';
import type { ExtensionState, Made, ReceivedArgument } from '../../session/extension.ts';
import { outgoingFrame } from '../../session/outgoing/call.ts';
import type { Session } from '../../session/session.ts';
import { next } from '../../session/timer.ts';
import { extend, written } from '../../session/travelling.ts';
import type { Channel, ChannelKind, ChannelTable } from './channel.ts';
import { Consumer } from './consumer.ts';
import { Producer } from './producer.ts';

/** The number of microtasks that a frame waits for more signals. A ready chunk needs a few to leave its stream. */
const PATIENCE = 8;

/** The channels of a connection, opened by either side. */
export class Channels implements ChannelTable, ExtensionState {
  readonly peer: Session;
  readonly #open = new Map<number, Channel>();
  /** The bytes read from Blobs and similar objects in the chunk being written. */
  readonly bodies = new Map<object, Uint8Array>();
  /** Writes signals into frames. Signals that are written shortly after each other share a frame. */
  readonly #writer: FrameWriter;
  /** The number of microtasks for which the frame still waits for more signals. */
  #patience = 0;
  readonly #collected = new FinalizationRegistry<Channel>((channel) => {
    this.#forgotten.push(channel);
    // A Worker may not send during garbage collection. There, and on servers, these channels end with the next frame.
    if (SENDS_AT_ANY_TIME && this.peer.settings.side === 'client') this.#abandonForgotten();
  });
  /** Channels whose streams have been garbage collected, and that have not ended yet. */
  #forgotten: Channel[] = [];
  #nextId: number;
  /** Number of open channels that this side opened. */
  #own = 0;
  /** Channels that arrived with the value or frame being read. */
  #arrived: Channel[] = [];
  /** Number of signals in it that are already aborted. They need no channel, but as much memory. */
  #aborted = 0;

  constructor(peer: Session) {
    this.peer = peer;
    this.#nextId = peer.firstId;
    const { errorStacks, writing } = peer.settings;
    this.#writer = new FrameWriter(writing, {
      extend: (value) => extend(peer, value),
      bodies: this.bodies,
      errorStacks,
    });
  }

  get counts() {
    return { channels: this.#open.size };
  }

  /**
   * Returns how a value is sent, and opens its channel. The value itself is not touched before `keep` is called.
   * @throws {CloneError | RpcError} if the value cannot be sent
   */
  open(kind: ChannelKind, value: object, isArgument: boolean): Made {
    const { name, isOfCall, isSink } = kind;
    if (isOfCall && !isArgument) throw unsendable(value, 'an AbortSignal can only be an argument');
    if ((hasBrand(value, 'ReadableStream') || hasBrand(value, 'WritableStream')) && value.locked) {
      throw unsendable(value, `a ${value.constructor.name} that is locked cannot be sent: it is used elsewhere`);
    }
    const parts = kind.parts?.(value) ?? [];
    if (parts[0] === null) return { extension: { name, parts } };
    this.#checkOpening(this.#own);
    const id = this.#nextId++;
    const channel = this.#add(isSink ? Consumer : Producer, id, kind);
    return {
      extension: { name, parts: [id, ...parts] },
      keep(call) {
        // A getter beside a stream may have locked it. By now, the value is in a frame.
        kind.begin(value, channel)?.catch((error) => channel.abandon(error));
        if (isOfCall) call?.onSettled(() => channel.leave());
      },
      takeBack: (_wasWritten, reason) => channel.destroy(reason),
    };
  }

  /**
   * Creates the value that stands for a value of the peer. `callId` is the id of the call that it is an argument of.
   */
  revive(kind: ChannelKind, [id, ...parts]: unknown[], callId: number | undefined): unknown {
    const { isOfCall, isSink } = kind;
    if (isOfCall && id === null) {
      this.#checkCount(this.#aborted++);
      return AbortSignal.abort(readFailure(parts));
    }
    this.#checkOpening(this.#open.size - this.#own);
    const ref = -1 - readId(id);
    if (this.#open.has(ref)) throw malformedFrame('a channel that is open already');
    const channel = this.#add(isSink ? Producer : Consumer, ref, kind);
    const [value, held] = kind.revive(channel, parts);
    if (held !== undefined) this.#collected.register(held, channel);
    if (!isOfCall) this.#arrived.push(channel);
    if (callId !== undefined) this.peer.answers.noteArgument(callId, argumentOf(channel));
    return value;
  }

  /** Handles an entry of a channel frame. `cost` is the memory that it takes, in bytes. */
  handleSignal(entry: unknown, cost: number): void {
    this.#abandonForgotten();
    const [ref, kind, content] = readChannelSignal(entry);
    const channel = this.#open.get(-1 - ref);
    channel?.handle(kind, content, cost);
    // An unknown channel was closed on this side while the signal was on its way.
    this.handled(channel !== undefined);
  }

  /** Called after a value or frame was handled. `isWanted` is false if the channels in it have no receiver. */
  handled(isWanted: boolean): void {
    const arrived = this.#arrived;
    this.#aborted = 0;
    if (arrived.length === 0) return;
    this.#arrived = [];
    if (isWanted) return;
    for (const channel of arrived) channel.abandon(cancelled('nobody waits for this any more'));
  }

  /** Ends all channels and tells the peer, because a frame of channels could not be read. */
  unreadable(error: RpcError): void {
    for (const channel of [...this.#open.values()]) channel.abandon(error);
  }

  /** Ends all channels, because the connection is gone. */
  lost(reason: RpcError): void {
    const code = reason.code === 'NOT_EXECUTED' ? 'REFERENCE_LOST' : reason.code;
    const error = new RpcError(code, `it ended with its connection: ${reason.message}`, { cause: reason });
    // A copy, because a source may open channels for the next connection when it is cancelled.
    for (const channel of [...this.#open.values()]) channel.destroy(error);
    this.#arrived = [];
    this.#writer.finish();
  }

  flush(): void {
    this.#abandonForgotten();
    this.#send();
  }

  /**
   * Appends a signal and returns its cost: its approximate memory in bytes, which the reader counts in the same way.
   * @throws {CloneError | RpcError} if its content cannot be sent; the frame is unchanged
   */
  write(signal: ChannelSignal): number {
    const writer = this.#writer;
    const [, , chunk] = signal;
    // The signal may be about a channel that was opened by a call or result that is not sent yet.
    this.peer.flushOthers();
    if (writer.size > 0 && isBytes(chunk) && writer.size + chunk.byteLength > FULL_SIZE) this.#send();
    let { bytes } = writer;
    let text: string | undefined;
    try {
      text = writer.write(signal);
    } catch (error) {
      if (writer.size === 0 || !isTooLarge(error)) throw error;
      // It may fit into a frame of its own.
      this.#send();
      bytes = 0;
      text = writer.write(signal);
    } finally {
      written(this.peer, text !== undefined);
    }
    const cost = costOf(text, writer.weight, writer.bytes - bytes);
    if (writer.size > FULL_SIZE) this.#send();
    else {
      if (this.#patience === 0) next(this.#wait);
      this.#patience = PATIENCE;
    }
    return cost;
  }

  left({ ref }: Channel): void {
    if (this.#open.delete(ref) && ref >= 0) this.#own--;
  }

  #checkOpening(count: number): void {
    if (this.peer.isStateless) {
      throw new RpcError(
        'NOT_CLONEABLE',
        'streams, async iterables, promises and signals cannot be passed over a connection that does not last: use connect() with a WebSocket',
      );
    }
    this.#checkCount(count);
  }

  #checkCount(count: number): void {
    const { limits } = this.peer.settings;
    if (count >= limits.maxChannels) throw exceeded('maxChannels', limits, ': read or cancel streams no longer used');
  }

  #abandonForgotten(): void {
    for (const channel of this.#forgotten.splice(0)) {
      channel.abandon(cancelled('a stream was let go of before its end'));
    }
  }

  /** Sends the signals that have been written. */
  #send(): void {
    if (this.#writer.size > 0) this.peer.sendCalls(outgoingFrame(0, 0, undefined, this.#writer.finish(CHANNELS)));
  }

  readonly #wait = (): void => {
    if (this.#writer.size === 0) this.#patience = 0;
    else if (--this.#patience > 0) next(this.#wait);
    else this.#send();
  };

  #add(End: typeof Consumer | typeof Producer, ref: number, kind: ChannelKind): Channel {
    const channel = new End(ref, this, kind);
    this.#open.set(ref, channel);
    if (ref >= 0) this.#own++;
    return channel;
  }
}

/** Creates the error for a value that cannot be sent. The codec adds the path to the value. */
function unsendable(value: object, why: string): CloneError {
  return Object.assign(new CloneError('NOT_CLONEABLE', why), { subject: value });
}

function cancelled(message: string): RpcError {
  return new RpcError('CANCELLED', message);
}

/**
 * Ends a channel with the call that its value was passed to. Tells the caller of the end of a signal, except if the
 * call is answered, with which the caller ends the signal itself. Ends other channels if the call has not run.
 */
function argumentOf(channel: Channel): ReceivedArgument {
  const { isOfCall } = channel.kind;
  return {
    ended(isAnswered, hasRun) {
      if (!isOfCall) {
        if (!hasRun) channel.abandon(cancelled('the call that it was passed to did not run'));
      } else if (isAnswered) (channel as Consumer).drop();
      else (channel as Consumer).stop();
    },
    givenUp(reason) {
      // The other end of the signal is gone.
      if (isOfCall) channel.destroy(reason);
    },
  };
}
