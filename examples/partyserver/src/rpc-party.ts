import { type Caller, createRpcServer, type RpcTarget, type Topic, type TopicOptions } from '@lumenize/rpc/server';
import { Server } from 'partyserver';

/** A server of partyserver that is also called by RPC, over sockets of its own: both kinds hibernate in one object. */
export abstract class RpcParty<Env extends Cloudflare.Env = Cloudflare.Env, Identity = unknown> extends Server<Env> {
  static override options = { hibernate: true };

  readonly #rpc = createRpcServer<Identity>(this.ctx, { target: (caller) => this.target(caller) });

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    // `onStart` is for whatever comes first; by itself it would only wait for partyserver's own.
    ctx.blockConcurrencyWhile(() => this.setName(this.name));
  }

  /** Returns what this caller may talk to. */
  abstract target(caller: Caller<Identity>): RpcTarget;

  protected topic<Event>(name: string, options?: TopicOptions): Topic<Event> {
    return this.#rpc.topic(name, options);
  }

  override async fetch(request: Request): Promise<Response> {
    return this.#rpc.fetch(request) ?? super.fetch(request);
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const handled = this.#rpc.webSocketMessage(socket, message);
    if (handled === false) return super.webSocketMessage(socket, message);
    if (handled !== true) await handled;
  }

  override async webSocketClose(socket: WebSocket, code: number, reason: string, wasClean: boolean): Promise<void> {
    if (!this.#rpc.webSocketClose(socket, code)) await super.webSocketClose(socket, code, reason, wasClean);
  }

  override async webSocketError(socket: WebSocket, error: unknown): Promise<void> {
    if (!this.#rpc.webSocketError(socket)) await super.webSocketError(socket, error);
  }
}
