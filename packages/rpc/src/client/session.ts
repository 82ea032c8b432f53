import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_NORMAL, CLOSE_REFUSED, errorOfClose } from '../protocol/close-codes.ts';
import { readResultFrame } from '../protocol/result-frame.ts';
import type { OpenTransport, Transport } from '../transport/transport.ts';
import { Call, type OutgoingFrame } from './call.ts';
import { CallTable } from './call-table.ts';
import { createFrameWriter, type FrameWriter } from './frame-writer.ts';
import type { Node } from './node.ts';
import type { ConnectionStatistics } from './statistics.ts';
import type { StubSession } from './stub.ts';

/**
 * The state of a connection: `idle` before the first call and after a loss, until the next call connects again;
 * `closed` for good.
 */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'closed';

/** What a session needs to know. */
export interface SessionOptions {
  open: OpenTransport;
  /** Where the connection leads, for messages. */
  description: string;
  maxFrameBytes: number;
  onStateChange: ((state: ConnectionState) => void) | undefined;
}

/** What a URL looks like, for messages. */
export const EXAMPLE_URL = 'ws://localhost:8787/rpc/<binding>/<instance>';

/** The client's side of a connection: makes calls, sends a turn's calls as one frame, and settles them all. */
export class ClientSession implements StubSession {
  readonly #options: SessionOptions;
  readonly #writer: FrameWriter;
  readonly #calls = new CallTable();
  readonly #waiting: OutgoingFrame[] = [];
  readonly #counts = { framesSent: 0, framesReceived: 0, bytesSent: 0, bytesReceived: 0 };
  #state: ConnectionState = 'idle';
  #transport: Transport | undefined;
  #flushing = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#writer = createFrameWriter(this, options.maxFrameBytes);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get statistics(): ConnectionStatistics {
    return { ...this.#counts, callsInFlight: this.#calls.size };
  }

  call(node: Node, args: unknown[] | undefined): Call {
    if (this.#state === 'closed') return failedCall(node, closedError());
    let call: Call;
    try {
      call = this.#writer.write(node, args);
    } catch (error) {
      return failedCall(node, error);
    }
    this.#calls.add(call);
    if (this.#writer.isFull()) this.#flush();
    else if (!this.#flushing) this.#flushSoon();
    return call;
  }

  /** Connects where there is no connection yet. */
  connect(): void {
    if (this.#state !== 'idle') return;
    this.#setState('connecting');
    // A socket that was given up may still report; only the current one counts.
    const isCurrent = () => this.#transport === transport;
    let transport: Transport | undefined;
    try {
      this.#transport = transport = this.#options.open({
        opened: () => isCurrent() && this.#opened(),
        received: (frame) => isCurrent() && this.#received(frame),
        lost: (code, reason) => isCurrent() && this.#lost(code, reason),
      });
    } catch (error) {
      // A browser throws where a page of https asks for ws.
      this.#lost(CLOSE_NORMAL, String(error));
    }
  }

  /** Ends the connection for good; calls that have not settled reject. */
  close(): void {
    if (this.#state === 'closed') return;
    this.#flush();
    const transport = this.#transport;
    this.#transport = undefined;
    this.#setState('closed');
    transport?.close(CLOSE_NORMAL, '');
    this.#calls.lost(closedError(), true);
  }

  /** Sends a job later than the next one: what an async function calls when it is resumed still shares the frame. */
  #flushSoon(): void {
    this.#flushing = true;
    queueMicrotask(() => queueMicrotask(() => this.#flush()));
  }

  #flush(): void {
    this.#flushing = false;
    const frame = this.#writer.finish((call) => this.#calls.delete(call));
    if (frame === undefined) return;
    if (this.#state === 'open') return this.#send(frame);
    this.#waiting.push(frame);
    this.connect();
  }

  #send(frame: OutgoingFrame): void {
    const bytes = frame.bytes!;
    frame.sent = true;
    this.#counts.framesSent++;
    this.#counts.bytesSent += bytes.length;
    this.#transport!.send(bytes);
  }

  #opened(): void {
    this.#setState('open');
    for (const frame of this.#waiting.splice(0)) this.#send(frame);
  }

  #received(bytes: Uint8Array): void {
    this.#counts.framesReceived++;
    this.#counts.bytesReceived += bytes.length;
    try {
      readResultFrame(bytes, this.#calls);
    } catch (error) {
      const transport = this.#transport;
      this.#lost(CLOSE_NORMAL, `MALFORMED_FRAME: from server: ${error}`);
      transport?.close(CLOSE_NORMAL, '');
    }
  }

  #lost(code: number, reason: string): void {
    const wasOpen = this.#state === 'open';
    this.#transport = undefined;
    this.#setState('idle');
    const { description } = this.#options;
    const message = wasOpen
      ? `lost ${description}`
      : `${description} cannot be reached: is the Worker running, and is the URL like ${EXAMPLE_URL}?`;
    const error = errorOfClose(reason) ?? new RpcError('NOT_EXECUTED', `${message} (${code} ${reason})`);
    this.#waiting.length = 0;
    // Calls that are still being written settle now, and must not be sent over the next connection.
    this.#writer.finish(() => {});
    this.#calls.lost(error, code < CLOSE_REFUSED);
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    // Later: what the listener does, or throws, must find the session as it will be.
    queueMicrotask(() => this.#options.onStateChange?.(state));
  }
}

function closedError(): RpcError {
  return new RpcError('NOT_EXECUTED', 'the connection was closed');
}

/** A call that failed before it had a place in a frame. */
function failedCall(node: Node, error: unknown): Call {
  const call = new Call(0, { firstId: 0, bytes: undefined, sent: false }, node.name);
  call.settle({ ok: false, error });
  return call;
}
