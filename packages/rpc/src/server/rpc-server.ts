import { parse } from '@lumenize/structured-clone';
import { CLOSE_INTERNAL, CLOSE_NORMAL, closeReason } from '../protocol/close-codes.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import type { ConnectionMemory } from '../session/references/memory.ts';
import type { OpenedConnection, ReceiveNative } from '../transport/native.ts';
import type { Transport } from '../transport/transport.ts';
import { AttachedMemory, attach, attachedCaller, connectionTag } from './attachment.ts';
import { callerOf, newCaller } from './connection-info.ts';
import { answerBatch, isBatch } from './http-batch.ts';
import { openNativeConnection } from './native-connection.ts';
import type { RpcServerOptions } from './options.ts';
import { errorOfTarget, offerOf, refuseTarget, refuseVersion, switchProtocols } from './refusal.ts';
import { requireServable } from './served-target.ts';
import { createServerContext, type ServerContext } from './server-context.ts';
import { ServerSession } from './session.ts';
import { answerHeartbeats, receiveMessage, serveAccepted, socketChannel } from './sockets.ts';
import { findStored, readToken } from './stored-references.ts';

/** What a class needs to serve RPC: methods to call from its own of the same names. */
export interface RpcServer {
  /** Answers an upgrade to a WebSocket, or a POST of calls; undefined where the request is not for this protocol. */
  fetch(request: Request): Response | Promise<Response> | undefined;
  /**
   * Handles a message of a hibernating socket; false where the socket is not this library's. What it returns is to be
   * returned from the object's own handler: a promise, while calls run, keeps the object from hibernating.
   */
  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): boolean | Promise<void>;
  /** Handles the end of a socket and returns true; false where it is not this library's. */
  webSocketClose(socket: WebSocket, code: number): boolean;
  webSocketError(socket: WebSocket): boolean;
  /** Returns the stub that a token of `storeReference` stands for; undefined where its client is no longer connected. */
  findReference(token: string): unknown;
  /** Lets the client forget what a token stands for. */
  releaseReference(token: string): void;
  /**
   * Serves a Worker that connects by the platform's own RPC. A class that wants that has a public method
   * `openRpcConnection` which calls this: for `connectBinding`, and only reachable by those who have the binding.
   */
  openRpcConnection(receive: ReceiveNative, identity: string, frame: Uint8Array): OpenedConnection;
}

/** How `createRpcServer` gets its targets, beside the options. */
export interface CreateRpcServerOptions<Identity> extends RpcServerOptions {
  /** Returns what a caller may talk to, an instance of a class that extends `RpcTarget`; called again after hibernation. */
  target: (caller: Caller<Identity>) => unknown;
}

/** Makes the server of one Durable Object. `RpcObject` is a base class over it; use it where a class extends something else. */
export function createRpcServer<Identity = unknown>(
  ctx: DurableObjectState,
  options: CreateRpcServerOptions<Identity>,
): RpcServer {
  return new DurableRpcServer(ctx, options as CreateRpcServerOptions<unknown>);
}

class DurableRpcServer implements RpcServer {
  readonly #ctx: DurableObjectState;
  readonly #options: CreateRpcServerOptions<unknown>;
  readonly #context: ServerContext;
  /** Sessions of this life of the object. After hibernation it is empty, and each is made again with its next frame. */
  readonly #sessions = new Map<WebSocket, ServerSession>();

  constructor(ctx: DurableObjectState, options: CreateRpcServerOptions<unknown>) {
    this.#ctx = ctx;
    this.#options = options;
    this.#context = createServerContext(options);
    if (this.#hibernates) answerHeartbeats(ctx);
  }

  fetch(request: Request): Response | Promise<Response> | undefined {
    if (isBatch(request)) {
      return answerBatch(request, this.#context, (channel) => this.#session(channel, callerOf(request)));
    }
    const offer = offerOf(request);
    if (!offer.spoken) return undefined;
    if (!offer.shared) return refuseVersion(request);
    const caller = callerOf(request);
    const [client, server] = Object.values(new WebSocketPair());
    let session: ServerSession;
    try {
      session = this.#socketSession(server, caller);
    } catch (error) {
      return refuseTarget(request, error);
    }
    this.#sessions.set(server, session);
    if (this.#hibernates) {
      this.#ctx.acceptWebSocket(server, [connectionTag(caller.connectionId)]);
      attach(server, caller);
    } else serveAccepted(server, session, () => this.#sessions.delete(server));
    return switchProtocols(client, offer.echo);
  }

  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): boolean | Promise<void> {
    let session: ServerSession | undefined;
    try {
      session = this.#sessionOf(socket);
    } catch (error) {
      // Not as a refusal: frames before this one may have run.
      socket.close(CLOSE_INTERNAL, closeReason(errorOfTarget(error)));
      return true;
    }
    if (session === undefined) return false;
    receiveMessage(socket, session, message);
    return session.idle ?? true;
  }

  webSocketClose(socket: WebSocket, code: number): boolean {
    if (!this.#forget(socket) && attachedCaller(socket) === undefined) return false;
    try {
      // Before compatibility date 2026-04-07 the runtime leaves it to the object to answer a close.
      socket.close(code === 1005 || code === 1006 ? CLOSE_NORMAL : code);
    } catch {
      // It is closed already, which is all that was wanted.
    }
    return true;
  }

  webSocketError(socket: WebSocket): boolean {
    return this.#forget(socket) || attachedCaller(socket) !== undefined;
  }

  /** Ends the session of a socket that is gone; false where it had none. */
  #forget(socket: WebSocket): boolean {
    this.#sessions.get(socket)?.lost();
    return this.#sessions.delete(socket);
  }

  findReference(token: string): unknown {
    const stored = readToken(token);
    const session = this.#sessionFor(stored.connectionId);
    return session && findStored(session, stored);
  }

  releaseReference(token: string): void {
    const { connectionId, id, count } = readToken(token);
    this.#sessionFor(connectionId)?.releaseStored(id, count);
  }

  openRpcConnection(receive: ReceiveNative, identity: string, frame: Uint8Array): OpenedConnection {
    return openNativeConnection(receive, frame, (channel) => this.#session(channel, newCaller(parse(identity))));
  }

  /** The session of a socket, made again where the object has left memory since; undefined for sockets that are not the library's. */
  #sessionOf(socket: WebSocket): ServerSession | undefined {
    let session = this.#sessions.get(socket);
    if (session !== undefined) return session;
    const caller = attachedCaller(socket);
    if (caller === undefined) return undefined;
    session = this.#socketSession(socket, caller);
    this.#sessions.set(socket, session);
    return session;
  }

  #sessionFor(connectionId: string): ServerSession | undefined {
    const [socket] = this.#ctx.getWebSockets(connectionTag(connectionId));
    if (socket !== undefined) return this.#sessionOf(socket);
    return [...this.#sessions.values()].find(({ caller }) => caller?.connectionId === connectionId);
  }

  get #hibernates(): boolean {
    return this.#options.hibernate ?? true;
  }

  #socketSession(socket: WebSocket, caller: Caller): ServerSession {
    return this.#session(socketChannel(socket), caller, this.#hibernates ? new AttachedMemory(socket) : undefined);
  }

  #session(channel: Transport, caller: Caller, memory?: ConnectionMemory): ServerSession {
    const target = this.#options.target(caller);
    requireServable(target, 'target() must return');
    return new ServerSession(target, channel, this.#context, caller, memory);
  }
}
