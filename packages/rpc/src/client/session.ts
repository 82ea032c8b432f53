import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE, closeReason, errorOfClose, isRefusal } from '../protocol/close-codes.ts';
import { readResultFrame } from '../protocol/result-frame.ts';
import type { OpenTransport, Transport } from '../transport/transport.ts';
import { Call } from './call.ts';
import { CallTable } from './call-table.ts';
import { type FinishedFrame, FrameWriter } from './frame-writer.ts';
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
  onStateChange: (state: ConnectionState) => void;
}

/** The client's side of a connection: makes calls, sends a turn's calls as one frame, and settles them all. */
export class ClientSession implements StubSession {
  readonly #options: SessionOptions;
  readonly #writer: FrameWriter;
  readonly #calls = new CallTable();
  readonly #waiting: FinishedFrame[] = [];
  readonly #counts = { framesSent: 0, framesReceived: 0, bytesSent: 0, bytesReceived: 0 };
  #state: ConnectionState = 'idle';
  #transport: Transport | undefined;
  #flushing = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#writer = new FrameWriter(this, options.maxFrameBytes);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get statistics(): ConnectionStatistics {
    return { ...this.#counts, callsInFlight: this.#calls.size };
  }

  call(node: Node, args: unknown[] | undefined): Call {
    if (this.#state === 'closed') return failedCall(node, new RpcError('NOT_EXECUTED', 'the connection was closed'));
    let call: Call;
    try {
      call = this.#writer.write(node, args);
    } catch (error) {
      return failedCall(node, error);
    }
    this.#calls.add(call);
    if (this.#writer.full) this.#flush();
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
      transport = this.#options.open({
        opened: () => isCurrent() && this.#opened(),
        received: (frame) => isCurrent() && this.#received(frame),
        lost: (code, reason) => isCurrent() && this.#lost(code, reason),
      });
      this.#transport = transport;
    } catch (error) {
      // A browser throws where a page of https asks for ws.
      this.#lost(CLOSE.normal, error instanceof Error ? error.message : String(error));
    }
  }

  /** Ends the connection for good; calls that have not settled reject. */
  close(): void {
    if (this.#state === 'closed') return;
    this.#flush();
    const transport = this.#transport;
    this.#transport = undefined;
    this.#setState('closed');
    transport?.close(CLOSE.normal, '');
    this.#fail(new RpcError('NOT_EXECUTED', 'the connection was closed'), true);
  }

  /** Sends after all jobs of the turn that are ready: `await` and `Promise.all` take up a result one job after the call. */
  #flushSoon(): void {
    this.#flushing = true;
    queueMicrotask(() => queueMicrotask(() => this.#flush()));
  }

  #flush(): void {
    this.#flushing = false;
    const finished = this.#writer.finish((call) => this.#calls.delete(call));
    if (finished === undefined) return;
    if (this.#state === 'open') return this.#send(finished);
    this.#waiting.push(finished);
    this.connect();
  }

  #send({ frame, bytes }: FinishedFrame): void {
    frame.sent = true;
    this.#counts.framesSent++;
    this.#counts.bytesSent += bytes.length;
    this.#transport!.send(bytes);
  }

  #opened(): void {
    this.#setState('open');
    for (const finished of this.#waiting.splice(0)) this.#send(finished);
  }

  #received(bytes: Uint8Array): void {
    this.#counts.framesReceived++;
    this.#counts.bytesReceived += bytes.length;
    try {
      readResultFrame(bytes, this.#calls);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const transport = this.#transport;
      this.#lost(CLOSE.internal, `the server sent a frame that cannot be read: ${reason}`);
      transport?.close(CLOSE.normal, closeReason(reason));
    }
  }

  #lost(code: number, reason: string): void {
    const wasOpen = this.#state === 'open';
    this.#transport = undefined;
    this.#setState('idle');
    this.#fail(this.#lossError(wasOpen, code, reason), !isRefusal(code));
  }

  #fail(reason: RpcError, mayHaveRun: boolean): void {
    this.#waiting.length = 0;
    this.#calls.lost(reason, mayHaveRun);
  }

  #lossError(wasOpen: boolean, code: number, reason: string): RpcError {
    const { description } = this.#options;
    const known = errorOfClose(code);
    if (known !== undefined) return new RpcError(known, reason || `the server closed the connection (${code})`);
    if (wasOpen) return new RpcError('NOT_EXECUTED', `the connection to ${description} was lost (${code})`);
    return new RpcError(
      'NOT_EXECUTED',
      `could not connect to ${description}: nothing answered there, or not as an RPC server. Is the Worker running, ` +
        `and is the URL like ws://localhost:8787/rpc/<binding>/<instance>?${reason && ` (${reason})`}`,
    );
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    this.#options.onStateChange(state);
  }
}

/** A call that failed before it had a place in a frame. */
function failedCall(node: Node, error: unknown): Call {
  const call = new Call(0, { firstId: 0, sealed: true, sent: false }, node.name);
  call.settle({ ok: false, error });
  return call;
}
