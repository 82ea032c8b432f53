import {
  type Caller,
  type Credentials,
  callContext,
  expiring,
  RpcError,
  RpcObject,
  type RpcServerOptions,
  routeRpc,
  type Topic,
} from '@lumenize/rpc/server';
import { CheckedTarget, type User } from '../access/checked-target.ts';

/** What a token of these tests says; a real one would be signed. */
export interface Claims extends User {
  /** Milliseconds from now. */
  readonly expiresInMs?: number;
}

const SIGNATURE = '.signed';

/** Makes a token that the Worker believes. */
export function signedToken(claims: Claims): string {
  return (
    JSON.stringify({ ...claims, ...(claims.expiresInMs && { expiresAt: Date.now() + claims.expiresInMs }) }) + SIGNATURE
  );
}

/** How often the object of each id was made: more than reading it from the object can tell, which makes it. */
const lives = new Map<string, number>();

/** What its callers may do is said by `CheckedTarget`; how much of it, by its name. */
export class AccessObject extends RpcObject<unknown, User> {
  readonly #news = this.topic<string>('news');
  readonly #offered: string[] = [];

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    lives.set(`${ctx.id}`, (lives.get(`${ctx.id}`) ?? 0) + 1);
  }

  override target({ identity }: Caller<User>): AccessTarget {
    if (identity?.name === 'mallory') throw new RpcError('DENIED', 'mallory may not use this object');
    return new AccessTarget(
      this.#offered,
      () => this.rpcMetrics,
      this.#news,
      () => [...this.connections()],
    );
  }

  override rpcOptions(): RpcServerOptions {
    const { name } = this.ctx.id;
    if (name === 'few') return { limits: { maxConnections: 2 } };
    if (name !== 'slow') return {};
    return { rateLimits: { identity: { operationsPerSecond: 0.001, burst: 10, by: ({ identity }) => identity.name } } };
  }

  override fetch(request: Request): Promise<Response> {
    const { headers } = request;
    this.#offered.push(headers.get('Sec-WebSocket-Protocol') ?? `${headers.get('Authorization')}`);
    return super.fetch(request);
  }
}

export class AccessTarget extends CheckedTarget {
  readonly #offered: readonly string[];
  readonly #metrics: () => unknown;
  readonly #news: Topic<string>;
  readonly #connections: () => { readonly caller: Caller }[];

  constructor(
    offered: readonly string[],
    metrics: () => unknown,
    news: Topic<string>,
    connections: () => { readonly caller: Caller }[],
  ) {
    super();
    this.#connections = connections;
    this.#news = news;
    this.#offered = offered;
    this.#metrics = metrics;
  }

  whoAmI(): unknown {
    const { caller } = callContext<User>();
    return { identity: caller?.identity, expires: caller?.expiresAt !== undefined };
  }

  /** Goes on for as long as somebody reads. */
  async *counting() {
    for (let n = 0; ; n++) yield n;
  }

  async sum(numbers: AsyncIterable<number>): Promise<number> {
    let sum = 0;
    for await (const number of numbers) sum += number;
    return sum;
  }

  connected(): unknown[] {
    return this.#connections().map(({ caller }) => caller.identity);
  }

  /** What came with each request that the object got: the subprotocols, or the authorization. */
  offered(): readonly string[] {
    return this.#offered;
  }

  news() {
    return this.#news.subscribe();
  }

  publish(event: string): void {
    this.#news.publish(event);
  }

  metrics(): unknown {
    return this.#metrics();
  }
}

/** Serves `/access/<instance>`, for those who show a token, and `/access-lives/<instance>`. */
export async function serveAccess(
  request: Request,
  env: { ACCESS: DurableObjectNamespace },
): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  const [, route, instance] = pathname.split('/');
  if (route === 'access-lives') return Response.json(lives.get(`${env.ACCESS.idFromName(instance)}`) ?? 0);
  return routeRpc(request, { access: env.ACCESS }, { prefix: '/with-token', authenticate });
}

/** An identity that nobody can send. */
class Account {
  readonly secret = 'of the Worker';
}

function authenticate(_request: unknown, { token }: Credentials): unknown {
  if (token === 'broken') throw new Error('a secret of the Worker');
  if (token === 'of a class') return new Account();
  if (!token?.endsWith(SIGNATURE)) return undefined;
  const { name, admin, expiresAt } = JSON.parse(token.slice(0, -SIGNATURE.length));
  // A token is shorter than an identity may be.
  const user = { name: name === 'large' ? 'x'.repeat(20_000) : name, admin };
  return expiresAt === undefined ? user : expiring(user, expiresAt);
}
