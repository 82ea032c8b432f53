import { DurableObject, RpcTarget as PlatformRpcTarget } from 'cloudflare:workers';
import type { Stub } from '@lumenize/rpc';
import { connectBinding } from '@lumenize/rpc/binding';
import {
  type Caller,
  callContext,
  createRpcServer,
  RpcEntrypoint,
  RpcError,
  type RpcMetrics,
  RpcObject,
  RpcTarget,
  routeRpc,
  serveRpc,
} from '@lumenize/rpc/server';
import { ContractTarget } from '../contract/contract-target.ts';
import { serveAccess } from './access-object.ts';
import { serveFaulty } from './faulty-object.ts';
import { serveIdentity } from './identity-object.ts';
import { serveRoom } from './room-object.ts';

export { CounterLumenize } from '../../examples/counter/src/counter-lumenize.ts';
export { CounterLumenizeAccept } from '../../examples/counter/src/counter-lumenize-accept.ts';
export { ContractObject, ContractObjectAccept, NewsObject } from '../contract/worker.ts';
export { AccessObject } from './access-object.ts';
export { DeliveryObject, DeliveryObjectAccept } from './delivery-object.ts';
export { FaultyObject } from './faulty-object.ts';
export { GatedObject, GatedObjectWithoutSql } from './gated-object.ts';
export { HeartbeatObject, OwnHeartbeatObject } from './heartbeat-object.ts';
export { IdentityObject } from './identity-object.ts';
export { LimiterObject } from './limiter-object.ts';
export { ObjectWithoutSql } from './object-without-sql.ts';
export { OpenedObject } from './opened-object.ts';
export { ReferencesObject } from './references-object.ts';
export { ComposedRoomObject, RoomObject } from './room-object.ts';
export { SoakObject } from './soak-object.ts';
export { StateObject } from './state-object.ts';
export { StreamObject } from './stream-object.ts';
export { ComposedTickerObject, TickerObject, TickerObjectAccept } from './topics-object.ts';

/** Serves the contract suite to Workers that have a service binding. */
export class ContractEntrypoint extends RpcEntrypoint {
  override target(): ContractTarget {
    return new ContractTarget();
  }
}

/** A class that extends something else, has sockets of its own, and serves RPC beside them. */
export class ComposedObject extends DurableObject {
  readonly #rpc = createRpcServer(this.ctx, {
    target: () => new PlatformTarget(),
    ...(this.ctx.id.name === 'few' && { limits: { maxConnections: 2 } }),
  });

  get rpcMetrics(): RpcMetrics {
    return this.#rpc.metrics;
  }

  override fetch(request: Request): Response | Promise<Response> {
    const answer = this.#rpc.fetch(request);
    if (answer !== undefined) return answer;
    const [client, server] = Object.values(new WebSocketPair());
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const handled = await this.#rpc.webSocketMessage(socket, message);
    if (handled === false) socket.send(`echo ${message}`);
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    this.#rpc.webSocketClose(socket, code);
  }
}

/** A class that does not serve requests. */
export class UnservedObject extends DurableObject {}

/** A target that knows nothing of the library. */
class PlatformTarget extends PlatformRpcTarget {
  hello(): string {
    return 'hello';
  }
}

interface User {
  readonly user: string;
  readonly since: Date;
}

/** Gives each caller a target of its own, and some none. Notes who has connected. */
export class GuardedObject extends RpcObject<unknown, User> {
  readonly #abandoned = Promise.withResolvers<void>();
  readonly #connected: string[] = [];

  override target(caller: Caller<User>): RpcTarget {
    if (caller.identity?.user === 'mallory') throw new RpcError('DENIED', 'mallory may not use this object');
    if (caller.identity?.user === 'broken') throw new Error('a defect of the class');
    return new GuardedTarget(caller, this.#abandoned, this.#connected);
  }

  protected override onConnect({ identity }: Caller<User>): void {
    this.#connected.push(`+${identity?.user}`);
  }

  protected override onDisconnect({ identity }: Caller<User>): void {
    this.#connected.push(`-${identity?.user}`);
  }
}

class GuardedTarget extends RpcTarget {
  readonly #caller: Caller<User>;
  readonly #abandoned: PromiseWithResolvers<void>;
  readonly #connected: readonly string[];

  constructor(caller: Caller<User>, abandoned: PromiseWithResolvers<void>, connected: readonly string[]) {
    super();
    this.#abandoned = abandoned;
    this.#caller = caller;
    this.#connected = connected;
  }

  connected(): readonly string[] {
    return this.#connected;
  }

  whoAmI(): unknown {
    return this.#caller.identity;
  }

  connectionId(): string {
    return this.#caller.connectionId;
  }

  /** Lasts for as long as somebody waits for it. */
  waitForEver(): Promise<void> {
    const { signal } = callContext();
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        this.#abandoned.resolve();
        resolve();
      });
    });
  }

  /** Resolves when nobody waits for `waitForEver` any more. */
  abandoned(): Promise<void> {
    return this.#abandoned.promise;
  }

  /** Calls back during the call. */
  async ask(callback: (question: string) => unknown): Promise<unknown> {
    return [await callback('who'), await callback('what')];
  }

  /** Calls back when the call has long been answered. */
  askLater(callback: (question: string) => unknown): void {
    setTimeout(() => callback('when'), 5);
  }
}

const kept: Record<string, Stub<ContractTarget>> = {};
/** All objects but `LIMITER`. The last two cannot serve RPC, and `SERVICE` is no object: clients are told so. */
const SERVED = [
  'COUNTER',
  'COUNTER_ACCEPT',
  'CONTRACT',
  'CONTRACT_ACCEPT',
  'COMPOSED',
  'GUARDED',
  'NEWS',
  'REFERENCES',
  'SOAK',
  'FRONT',
  'SERVICE',
  'STREAMS',
  'HEARTBEAT',
  'OWN_HEARTBEAT',
  'TICKER',
  'COMPOSED_TICKER',
  'TICKER_ACCEPT',
  'DELIVERY',
  'DELIVERY_ACCEPT',
  'ACCESS',
  'OPENED',
  'WITHOUT_SQL',
  'GATED',
  'GATED_WITHOUT_SQL',
  'UNSERVED',
  'UNBOUND',
];

export default {
  async fetch(request, env) {
    // A Worker without an object: each connection, and each batch, has a target of its own.
    if (new URL(request.url).pathname === '/plain') {
      return serveRpc(request, new ContractTarget(), { allowedOrigins: ['https://app.test'] });
    }
    if (new URL(request.url).pathname === '/known') {
      const identity = authenticate(request) as User;
      return serveRpc(request, new GuardedTarget({ identity, connectionId: '' }, Promise.withResolvers(), []), {
        identity,
      });
    }
    // A request that ends without closing the connection that it made.
    if (new URL(request.url).pathname === '/abandon') {
      const { GUARDED } = env as unknown as { GUARDED: DurableObjectNamespace };
      const guarded = connectBinding<GuardedTarget>(GUARDED.getByName('abandoned'), { identity: { user: 'ada' } });
      guarded.waitForEver().catch(() => {});
      return Response.json(await guarded.whoAmI());
    }
    // A connection that a global variable keeps, from one request to the next.
    if (new URL(request.url).pathname === '/kept') {
      const { CONTRACT } = env as unknown as { CONTRACT: DurableObjectNamespace };
      const object = () => CONTRACT.getByName('kept');
      const isNew = new URL(request.url).searchParams.has('new');
      const name = isNew ? 'new' : 'same';
      kept[name] ??= connectBinding<ContractTarget>(isNew ? object : object());
      const failed = ({ code, message }: RpcError) => ({ code, message });
      return Response.json(await Promise.resolve(kept[name].add()).catch(failed));
    }
    const access = (await serveAccess(request, env as never)) ?? (await serveIdentity(request, env as never));
    if (access !== undefined) return access;
    const faulty = (await serveFaulty(request, env as never)) ?? (await serveRoom(request, env as never));
    if (faulty !== undefined) return faulty;
    const guarded = await routeRpc(request, env as object, {
      bindings: ['GUARDED'],
      prefix: '/guarded',
      authenticate,
      allowedOrigins: ['https://app.test'],
    });
    return (
      guarded ??
      (await routeRpc(request, env as object, { bindings: SERVED })) ??
      new Response('Not found', { status: 404 })
    );
  },
} satisfies ExportedHandler;

function authenticate(request: Request): unknown {
  const user = new URL(request.url).searchParams.get('user');
  if (user === 'redirected') return new Response('log in first', { status: 401 });
  if (user === 'false' || user === 'null') return JSON.parse(user);
  return user === null ? undefined : { user, since: new Date(0) };
}
