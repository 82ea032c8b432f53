import { connectOver } from '../../client/connect.ts';
import type { ConnectOptions } from '../../client/options.ts';
import { CLOSE_ABNORMAL, CLOSE_DROPPED, CLOSE_REFUSED } from '../../closes.ts';
import { REFUSED_SUBPROTOCOL } from '../../protocol.ts';
import { type Expiring, forwardedRequest } from '../../server/callers.ts';
import { errorOfResponse } from '../../transport/http.ts';
import type { OpenTransport, Transport } from '../../transport/transport.ts';
import { overWebSocket, type WebSocketLike } from '../../transport/websocket.ts';
import type { Caller } from '../../types/call-context.ts';
import type { Stub } from '../../types/stub.ts';
import { QUICK } from '../test-connection.ts';

/** Options for connecting to an object whose `authenticate` returns an `Identity`. */
export interface ConnectToObjectOptions<Identity = unknown> extends ConnectOptions {
  /**
   * The caller's identity, as `authenticate` of `routeRpc` would return it. The target gets it as `caller.identity`. It
   * may be the result of `expiring()`.
   * @default undefined
   */
  identity?: Identity | Expiring<Identity>;
}

/**
 * An object's stub, or a function that returns a new stub for each attempt to connect. A function is needed if the
 * object crashes, because a stub whose object has crashed stays broken: the client then closes for good.
 */
// biome-ignore-start lint/suspicious/noExplicitAny: any object, and without a type the stub takes any call
export type ObjectOf<Target extends Rpc.DurableObjectBranded | undefined> =
  | DurableObjectStub<Target>
  | (() => DurableObjectStub<Target>);

/** The stub of `Api` if that is given; otherwise the stub of the target that the object's class serves. */
type Served<Api, Target> = [Api] extends [never]
  ? Target extends { target(caller: any): infer Found extends object }
    ? Stub<Found>
    : any
  : Api extends object
    ? Stub<Api>
    : never;

/** The identity that `target` of the object's class gets; `unknown` if the class does not say. */
type IdentityOf<Target> = Target extends { target(caller: Caller<infer Identity>): object } ? Identity : unknown;

/**
 * Connects to an object from inside the Workers runtime, over a real WebSocket. There is no Worker in front of the
 * object, so nothing gets a `token`. The client connects again at once after a loss.
 */
export function connectToObject<Api = never, Target extends Rpc.DurableObjectBranded | undefined = undefined>(
  object: ObjectOf<Target>,
  options: ConnectToObjectOptions<IdentityOf<Target>> = {},
): Served<Api, Target> {
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
  const given: unknown = object;
  const isNew = typeof given === 'function' && !('fetch' in given);
  const fetch = (request: Request): Promise<Response> => (isNew ? given() : (given as Fetches)).fetch(request);
  const upgraded = (upgrade: Request) => forwardedRequest(upgrade, options.identity, false);
  const open = upgradeTransport({ fetch }, 'http://object.test/', upgraded, isNew ? undefined : BROKEN);
  return connectOver(open, 'the object', { reconnect: QUICK, ...options }) as Served<Api, Target>;
}

const BROKEN = 'a stub whose object has crashed stays broken: give connectToObject() a function that returns a new one';

/**
 * Connects through the Worker under test, `exports.default` of `cloudflare:workers`, or through another bound Worker.
 * Its routing, its check of origins and its `authenticate` apply; `authenticate` gets the option `token`. `path` looks
 * like `/rpc/counter/main`.
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type the stub takes any call, as untyped code expects
export function connectToWorker<Api extends object = any>(
  worker: Fetches,
  path: string,
  options?: ConnectOptions,
): Stub<Api> {
  const { href } = new URL(path, 'http://worker.test');
  return connectOver(upgradeTransport(worker, href), href, { reconnect: QUICK, ...options });
}

/** A service that answers requests: a Durable Object's stub, a service binding, or the Worker under test. */
export interface Fetches {
  fetch(request: Request): Promise<Response>;
}

/**
 * Returns a transport over a real socket to a service in the same runtime. `request` creates the request for an attempt
 * from the given upgrade. With `failed`, which says why, no attempt follows a request that has failed.
 */
function upgradeTransport(
  to: Fetches,
  url: string,
  request: (upgrade: Request) => Request | Promise<Request> = (upgrade) => upgrade,
  failed?: string,
): OpenTransport {
  return (events, offer) => {
    let inner: Transport | undefined;
    let isClosed = false;
    const headers = { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': offer.join(', ') };
    const connect = async () => {
      const response = await to.fetch(await request(new Request(url, { headers })));
      const { webSocket } = response;
      if (webSocket == null) {
        const { code, message } = await errorOfResponse(url, response);
        // Nothing has run, whatever the status says of other requests.
        return code === 'OUTCOME_UNKNOWN'
          ? events.closed(CLOSE_ABNORMAL, `NOT_EXECUTED: ${message}`)
          : events.closed(CLOSE_REFUSED, `${code}: ${message}`);
      }
      if (!isClosed) inner = overWebSocket(() => webSocket as unknown as WebSocketLike)(events, []);
      webSocket.accept();
      if (isClosed) return webSocket.close(CLOSE_DROPPED, '');
      if (response.headers.get('Sec-WebSocket-Protocol') !== REFUSED_SUBPROTOCOL) events.opened();
    };
    connect().catch((error) => {
      const why = failed ? `${failed} (${error})` : `NOT_EXECUTED: the request to ${url} failed: ${error}`;
      events.closed(CLOSE_REFUSED, why);
    });
    return {
      send: (frame) => inner?.send(frame),
      probe: () => inner?.probe?.(),
      close(code, reason) {
        isClosed = true;
        inner?.close(code, reason);
      },
    };
  };
}
