import { type Caller, expiring, RpcObject, RpcTarget, routeRpc, serveRpc } from '@lumenize/rpc/server';
import { ContractTarget } from './contract-target.ts';

/** Serves the contract suite over hibernating sockets. */
export class ContractObject extends RpcObject {
  override target(): ContractTarget {
    return new ContractTarget();
  }
}

/** The same with hibernation off. */
export class ContractObjectAccept extends ContractObject {
  override rpcOptions(): { hibernate: false } {
    return { hibernate: false };
  }
}

/** What clients of `NewsObject` call. */
export class NewsApi extends RpcTarget {
  readonly #object: NewsObject;

  constructor(object: NewsObject) {
    super();
    this.#object = object;
  }

  static readonly rpc = { publishOnce: { exactlyOnce: true } };

  subscribe(options?: { since?: never }) {
    return this.#object.news().subscribe(options);
  }

  publish(event: unknown): number {
    return this.#object.news().publish(event);
  }

  publishOnce(event: unknown): number {
    return this.#object.news().publish(event);
  }

  async wipe(): Promise<void> {
    await this.#object.wipe();
  }

  subscribers(): number {
    return this.#object.news().subscribers;
  }

  /** Ends all connections, as a network does. */
  cut(): void {
    this.#object.cut();
  }
}

/** Publishes and subscribes. */
export class NewsObject extends RpcObject {
  override target(): NewsApi {
    return new NewsApi(this);
  }

  news() {
    return this.topic<unknown>('news', { retain: 1000 });
  }

  wipe(): Promise<void> {
    return this.ctx.storage.deleteAll();
  }

  cut(): void {
    for (const socket of this.ctx.getWebSockets()) socket.close(1012, 'cut');
  }
}

interface User {
  readonly name: string;
}

/** What callers of `WhoObject` call: their names. */
export class WhoApi extends RpcTarget {
  readonly #object: WhoObject;
  readonly #caller: Caller<User>;
  #ran = 0;

  constructor(object: WhoObject, caller: Caller<User>) {
    super();
    this.#object = object;
    this.#caller = caller;
  }

  static readonly rpc = { name: { idempotent: true }, room: { restorable: true } };

  name(): string {
    return this.#caller.identity.name;
  }

  room(name: string): Room {
    return new Room(`${this.name()} in ${name}`);
  }

  ranOnce(): number {
    return ++this.#ran;
  }

  async slow(): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return this.name();
  }

  never(): Promise<never> {
    return new Promise(() => {});
  }

  cut(): void {
    this.#object.cut();
  }
}

class Room extends RpcTarget {
  readonly #name: string;

  constructor(name: string) {
    super();
    this.#name = name;
  }

  name(): string {
    return this.#name;
  }
}

/** Tells callers who they are. */
export class WhoObject extends RpcObject<unknown, User> {
  override target(caller: Caller<User>): WhoApi {
    return new WhoApi(this, caller);
  }

  cut(): void {
    for (const socket of this.ctx.getWebSockets()) socket.close(1012, 'cut');
  }
}

/** Takes the text of a token for the name of a user, and behind a space for how long it is valid. */
function authenticate(_request: Request, { token }: { token: string | undefined }): unknown {
  const [name, lifetimeMs] = token?.split(' ') ?? [];
  if (name === undefined) return undefined;
  return lifetimeMs === undefined ? { name } : expiring({ name }, Date.now() + Number(lifetimeMs));
}

export default {
  async fetch(request, env) {
    // A Worker without an object: each connection, and each batch, has a target of its own.
    if (new URL(request.url).pathname === '/plain') return serveRpc(request, new ContractTarget());
    const bindings = ['CONTRACT', 'CONTRACT_ACCEPT', 'NEWS', 'WHO'] as const;
    const options = new URL(request.url).pathname.startsWith('/rpc/who/') ? { authenticate } : {};
    return (await routeRpc(request, env, { bindings, ...options })) ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<{
  CONTRACT: DurableObjectNamespace;
  CONTRACT_ACCEPT: DurableObjectNamespace;
  NEWS: DurableObjectNamespace;
  WHO: DurableObjectNamespace;
}>;
