import { type ConnectOptions, connectOver } from '../../client/connect.ts';
import type { Stub } from '../../client/types.ts';
import { CLOSE_DROPPED, CLOSE_REFUSED } from '../../protocol/close-codes.ts';
import { answerTo, PING, PONG } from '../../protocol/heartbeat.ts';
import type { Message } from '../../protocol/message.ts';
import { EARLY_SUBPROTOCOL, REFUSED_SUBPROTOCOL } from '../../protocol/version.ts';
import { type Expiring, forObject } from '../../server/access/caller.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import { closeOfResponse } from '../../transport/http.ts';
import type { OpenTransport, TransportEvents } from '../../transport/transport.ts';
import { QUICK } from '../test-connection.ts';

/** How to connect to an object whose `authenticate` returns an `Identity`. */
export interface ConnectToObjectOptions<Identity = unknown> extends ConnectOptions {
  /** Identity of the caller, as `authenticate` of `routeRpc` would return it: `caller.identity`. It may be `expiring()`. @default undefined */
  identity?: Identity | Expiring<Identity>;
}

/** An object's stub, or what returns a new one for each attempt to connect: a stub whose object has crashed stays broken. */
// biome-ignore-start lint/suspicious/noExplicitAny: any object, and without a type the stub takes any call
export type ObjectOf<Target extends Rpc.DurableObjectBranded | undefined> =
  | DurableObjectStub<Target>
  | (() => DurableObjectStub<Target>);

/** The stub of `Api` where that is said, else of what the object's class serves. */
type Served<Api, Target> = [Api] extends [never]
  ? Target extends { target(caller: any): infer Found extends object }
    ? Stub<Found>
    : any
  : Api extends object
    ? Stub<Api>
    : never;

/** The identity that `target` of the object's class is called with; anything where it does not say. */
type IdentityOf<Target> = Target extends { target(caller: Caller<infer Identity>): object } ? Identity : unknown;

/**
 * Connects to an object from inside the Workers runtime: over a real WebSocket that it accepts as it does others, but without the Worker in
 * front of it: so a `token` is seen by `reauthenticate` only. A lost connection is made again at once.
 */
export function connectToObject<Api = never, Target extends Rpc.DurableObjectBranded | undefined = undefined>(
  object: ObjectOf<Target>,
  options: ConnectToObjectOptions<IdentityOf<Target>> = {},
): Served<Api, Target> {
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
  const given: unknown = object;
  const isNew = typeof given === 'function' && !('fetch' in given);
  const fetch = (request: Request): Promise<Response> =>
    isNew ? given().fetch(request) : (given as Fetches).fetch(request).catch(broken);
  const upgraded = (upgrade: Request) => forObject(upgrade, options.identity, false);
  const open = upgradeTransport({ fetch }, 'http://object.test/', upgraded);
  return connectOver(open, 'the object', { reconnect: QUICK, ...options }) as Served<Api, Target>;
}

function broken(error: unknown): never {
  const hint = 'a stub whose object has crashed stays broken: give connectToObject() a function that returns a new one';
  throw new Error(`${error} (${hint})`, { cause: error });
}

/**
 * Connects by the Worker under test, given as `exports.default` of `cloudflare:workers`, or by another that is bound: with its routing, its
 * check of origins and its `authenticate`, to which the option `token` is shown. `path` is such as `/rpc/counter/main`.
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type the stub takes any call, as untyped code expects
export function connectToWorker(worker: Fetches, path: string, options?: ConnectOptions): any;
export function connectToWorker<Api extends object>(worker: Fetches, path: string, options?: ConnectOptions): Stub<Api>;
export function connectToWorker(worker: Fetches, path: string, options: ConnectOptions = {}): unknown {
  const { href } = new URL(path, 'http://worker.test');
  return connectOver(upgradeTransport(worker, href), href, { reconnect: QUICK, ...options });
}

/** Answers requests: a Durable Object's stub, a service binding, or the Worker under test. */
export interface Fetches {
  fetch(request: Request): Promise<Response>;
}

/** Carries frames over a real socket to what answers an upgrade inside the same runtime; `request` makes that of an attempt. */
function upgradeTransport(
  to: Fetches,
  url: string,
  request: (upgrade: Request) => Request = (upgrade) => upgrade,
): OpenTransport {
  return (events, offer) => {
    let socket: WebSocket | undefined;
    let isClosed = false;
    const headers = { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': offer.join(', ') };
    to.fetch(request(new Request(url, { headers }))).then(
      async (response) => {
        if (response.webSocket == null) return refused(url, response, events);
        if (isClosed) {
          response.webSocket.accept();
          return response.webSocket.close(CLOSE_DROPPED, '');
        }
        socket = response.webSocket;
        attach(socket, events);
        const protocol = response.headers.get('Sec-WebSocket-Protocol');
        if (protocol !== REFUSED_SUBPROTOCOL) events.opened(protocol === EARLY_SUBPROTOCOL);
      },
      (error) => events.lost(CLOSE_REFUSED, `NOT_EXECUTED: the request to ${url} failed: ${error}`),
    );
    const send = (message: Message) => {
      if (socket?.readyState === WebSocket.OPEN) socket.send(message);
    };
    return {
      send,
      probe: () => send(PING),
      close(code, reason) {
        isClosed = true;
        socket?.close(code, reason);
      },
    };
  };
}

function attach(socket: WebSocket, events: TransportEvents): void {
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('message', ({ data }) => {
    const answer = typeof data === 'string' ? answerTo(data) : undefined;
    if (data === PONG) events.alive();
    else if (answer !== undefined) socket.send(answer);
    // Any other text is a frame, or reads as one that is malformed.
    else events.received(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer));
  });
  socket.addEventListener('close', ({ code, reason }) => events.lost(code, reason));
  socket.accept();
}

async function refused(url: string, response: Response, events: TransportEvents): Promise<void> {
  const { code, reason } = await closeOfResponse(url, response);
  events.lost(code, reason);
}
