import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_MALFORMED, CLOSE_TOO_LARGE, closeReason } from '../protocol/close-codes.ts';
import type { CallContext, Caller } from '../session/incoming/call-context.ts';
import type { OutgoingFrame } from '../session/outgoing/call.ts';
import { Session } from '../session/session.ts';
import type { Transport } from '../transport/transport.ts';
import type { ServerContext } from './server-context.ts';

/** The server's side of a connection: runs call frames on its target and sends what becomes of them. */
export class ServerSession extends Session {
  readonly target: unknown;
  readonly caller: Caller | undefined;
  readonly #transport: Transport;
  readonly #context: ServerContext;

  constructor(target: unknown, transport: Transport, context: ServerContext, caller?: Caller) {
    super(context.settings);
    this.target = target;
    this.caller = caller;
    this.#transport = transport;
    this.#context = context;
  }

  get isStateless(): boolean {
    return this.#transport.stateless ?? false;
  }

  /** Resolves when nothing is going on any more; undefined where nothing is. An object that is waited for does not hibernate. */
  get idle(): Promise<void> | undefined {
    return this.incoming.idle;
  }

  /** Runs a call frame, or settles calls that this side has made. */
  override receive(bytes: Uint8Array): void {
    const { maxFrameBytes } = this.settings.limits;
    if (bytes.length <= maxFrameBytes || this.isStateless) return super.receive(bytes);
    this.refuseConnection(new RpcError('TOO_LARGE', `maxFrameBytes of ${maxFrameBytes} exceeded`));
  }

  /** To be called when the connection has ended: what the client held is let go of, and what runs for it is aborted. */
  lost(): void {
    this.end(new RpcError('NOT_EXECUTED', 'the connection was lost'), true);
  }

  close(): void {
    // Only the client's stub of the target closes a connection.
  }

  sendCalls(frame: OutgoingFrame): void {
    frame.sent = true;
    this.send(frame.bytes!);
  }

  onError(error: unknown, method: string, call: CallContext | undefined): void {
    this.#context.onError(error, method, call);
  }

  protected sendFrame(bytes: Uint8Array<ArrayBuffer>): void {
    this.#transport.send(bytes);
  }

  protected refuseConnection(error: RpcError): void {
    this.#transport.close(error.code === 'TOO_LARGE' ? CLOSE_TOO_LARGE : CLOSE_MALFORMED, closeReason(error));
  }
}
