import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_NORMAL, CLOSE_REFUSED, errorOfClose } from '../protocol/close-codes.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import type { EventsFrame } from '../protocol/topic.ts';
import type { CallContext } from '../session/incoming/call-context.ts';
import { type Call, failedCall, type OutgoingFrame } from '../session/outgoing/call.ts';
import type { Node } from '../session/outgoing/node.ts';
import { Session } from '../session/session.ts';
import type { SessionSettings } from '../session/settings.ts';
import type { OpenTransport, Transport } from '../transport/transport.ts';
import type { ConnectionStatistics } from './statistics.ts';
import { Subscriptions } from './subscriptions.ts';

/**
 * The state of a connection: `idle` before the first call and after a loss, until the next call connects again;
 * `closed` for good.
 */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'closed';

/** What a session needs to know. */
export interface ClientSessionOptions {
  open: OpenTransport;
  /** Where the connection leads, for messages. */
  description: string;
  settings: SessionSettings;
  onStateChange: ((state: ConnectionState) => void) | undefined;
  /** Told of what the client's own functions and targets threw when the server called them. */
  onError: ((error: unknown, method: string, call: CallContext | undefined) => void) | undefined;
}

/** What a URL looks like, for messages. */
export const EXAMPLE_URL = 'ws://localhost:8787/rpc/<binding>/<instance>';

/** The client's side of a connection: connects when there is something to send, and again after a loss. */
export class ClientSession extends Session {
  readonly target = undefined;
  readonly caller = undefined;
  readonly #options: ClientSessionOptions;
  readonly #waiting: OutgoingFrame[] = [];
  readonly #counts = { framesSent: 0, framesReceived: 0, bytesSent: 0, bytesReceived: 0 };
  #state: ConnectionState = 'idle';
  #transport: Transport | undefined;
  #subscriptions: Subscriptions | undefined;

  constructor(options: ClientSessionOptions) {
    super(options.settings);
    this.#options = options;
  }

  override reviveTopic(payload: unknown, _callId: number | undefined): unknown {
    this.#subscriptions ??= new Subscriptions((signal) => this.outgoing.signal(signal));
    return this.#subscriptions.revive(payload);
  }

  override receiveEvents(frame: EventsFrame, bytes: number): void {
    this.#subscriptions?.receive(frame, bytes);
  }

  override settle(id: number, outcome: Outcome): boolean {
    const isWanted = super.settle(id, outcome);
    this.#subscriptions?.settle(isWanted);
    return isWanted;
  }

  protected override end(reason: RpcError, mayHaveRun: boolean): void {
    super.end(reason, mayHaveRun);
    if (this.#subscriptions === undefined) return;
    const code = reason.code === 'NOT_EXECUTED' ? 'REFERENCE_LOST' : reason.code;
    this.#subscriptions.lost(
      new RpcError(code, `the subscription ended with its connection: ${reason.message}`, { cause: reason }),
    );
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get isStateless(): boolean {
    return this.#options.open.stateless ?? false;
  }

  get statistics(): ConnectionStatistics {
    return { ...this.#counts, ...this.counts };
  }

  override call(node: Node, args: unknown[] | undefined): Call {
    return this.#state === 'closed' ? failedCall(node.name, closedError()) : super.call(node, args);
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
    this.flush();
    const transport = this.#transport;
    this.#transport = undefined;
    this.#setState('closed');
    transport?.close(CLOSE_NORMAL, '');
    this.end(closedError(), true);
  }

  sendCalls(frame: OutgoingFrame): void {
    if (this.#state === 'open') return this.#sendCalls(frame);
    if (this.#state === 'closed') return;
    this.#waiting.push(frame);
    this.connect();
  }

  onError(error: unknown, method: string, call: CallContext | undefined): void {
    this.#options.onError?.(error, method, call);
  }

  protected sendFrame(bytes: Uint8Array<ArrayBuffer>): void {
    // What answers a call over a connection that is gone has nobody to go to.
    if (this.#state !== 'open') return;
    this.#counts.framesSent++;
    this.#counts.bytesSent += bytes.length;
    this.#transport!.send(bytes);
  }

  protected refuseConnection(error: RpcError): void {
    const transport = this.#transport;
    this.#lost(CLOSE_NORMAL, `${error.code}: from server: ${error.message}`);
    transport?.close(CLOSE_NORMAL, '');
  }

  #sendCalls(frame: OutgoingFrame): void {
    frame.sent = true;
    this.send(frame.bytes!);
  }

  #opened(): void {
    this.#setState('open');
    for (const frame of this.#waiting.splice(0)) this.#sendCalls(frame);
  }

  #received(bytes: Uint8Array): void {
    this.#counts.framesReceived++;
    this.#counts.bytesReceived += bytes.length;
    this.receive(bytes);
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
    this.end(error, code < CLOSE_REFUSED);
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
