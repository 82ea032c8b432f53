import { DurableObject } from 'cloudflare:workers';
import { type Caller, RpcObject, type RpcServerOptions, RpcTarget, routeRpc } from '@lumenize/rpc/server';

interface Env {
  readonly DESK: DurableObjectNamespace<DeskObject>;
  readonly GATED: DurableObjectNamespace;
  readonly FAULTY: DurableObjectNamespace<FaultyObject>;
  readonly PLAIN: DurableObjectNamespace;
}

interface User {
  readonly name: string;
}

/** What callers of `DeskObject` call. */
export class DeskApi extends RpcTarget {
  readonly #desk: DeskObject;
  readonly #caller: Caller<User>;

  constructor(desk: DeskObject, caller: Caller<User>) {
    super();
    this.#desk = desk;
    this.#caller = caller;
  }

  static readonly rpc = {
    drawer: { restorable: true },
    wakes: { readOnly: true },
    once: { exactlyOnce: true },
    denied: { guard: () => false },
  };

  name(): string | undefined {
    return this.#caller.identity?.name;
  }

  /** How many lives the object has had in memory. */
  wakes(): number {
    return this.#desk.wakes();
  }

  drawer(label: string): Drawer {
    return new Drawer(`${this.name()}'s ${label}`);
  }

  paper(): Drawer {
    return new Drawer('paper');
  }

  once(): number {
    return this.#desk.increment();
  }

  denied(): void {}

  listen(): unknown {
    return this.#desk.bell().subscribe();
  }

  ring(event: unknown): number {
    return this.#desk.bell().publish(event);
  }

  open(): { name: string | undefined; topics: string[] }[] {
    return this.#desk.open();
  }

  metrics(): unknown {
    return this.#desk.metrics();
  }

  log(): string[] {
    return this.#desk.told;
  }

  /** Ends the subscriptions of whoever has that name. */
  hush(name: string): void {
    this.#desk.hush(name);
  }

  drain(): void {
    this.#desk.drainAll();
  }

  closeOthers(): void {
    this.#desk.closeOthers(this.#caller);
  }

  async slow(ms: number): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return ms;
  }

  async call(listener: (told: string) => Promise<string>): Promise<string> {
    return listener('hello');
  }
}

class Drawer extends RpcTarget {
  readonly #label: string;

  constructor(label: string) {
    super();
    this.#label = label;
  }

  label(): string {
    return this.#label;
  }
}

let wakes = 0;

/** Shows what its server does. */
export class DeskObject extends RpcObject<Env, User> {
  readonly told: string[] = [];
  readonly #life = ++wakes;

  override target(caller: Caller<User>): DeskApi {
    return new DeskApi(this, caller);
  }

  override rpcOptions(): RpcServerOptions {
    return { limits: { maxConnections: 4, maxSubscriptions: 1 } };
  }

  protected override onConnect({ identity }: Caller<User>): void {
    this.told.push(`+${identity?.name}`);
    if (identity?.name === 'trouble') throw new Error('of onConnect');
  }

  protected override onDisconnect({ identity }: Caller<User>): void {
    this.told.push(`-${identity?.name}`);
  }

  wakes(): number {
    return this.#life;
  }

  increment(): number {
    const value = ((this.ctx.storage.kv.get('value') as number | undefined) ?? 0) + 1;
    this.ctx.storage.kv.put('value', value);
    return value;
  }

  bell() {
    return this.topic<unknown>('bell');
  }

  open() {
    return [...this.connections()].map(({ caller, topics }) => ({
      name: caller.identity?.name,
      topics: topics.map(({ name }) => name),
    }));
  }

  metrics() {
    return this.rpcMetrics;
  }

  hush(name: string): void {
    for (const { caller, topics } of this.connections()) {
      if (caller.identity?.name === name) {
        // The types of the published core are those of tests.
        for (const topic of topics as unknown as { end(): void }[]) topic.end();
      }
    }
  }

  drainAll(): void {
    (this as unknown as { drain(): void }).drain();
  }

  closeOthers({ connectionId }: Caller): void {
    for (const { caller, close } of this.connections()) if (caller.connectionId !== connectionId) close();
  }
}

/** A register whose methods use the asynchronous storage, for which the runtime's input gate holds back other events. */
export class Register extends RpcTarget {
  readonly #storage: DurableObjectStorage;
  #running = 0;
  #most = 0;

  constructor(storage: DurableObjectStorage) {
    super();
    this.#storage = storage;
  }

  /** Reads, waits, and writes: right wherever each call is an event of its own. */
  async increment(): Promise<number> {
    const value = ((await this.#storage.get<number>('value')) ?? 0) + 1;
    await this.#storage.put('value', value);
    return value;
  }

  async later(): Promise<Register> {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return this;
  }

  list(length: number): number[] {
    return Array.from({ length }, (_, index) => index);
  }

  /** Runs as long as the others that have begun. */
  async together(count: number): Promise<number> {
    this.#running++;
    this.#most = Math.max(this.#most, this.#running);
    while (this.#most < count) await new Promise((resolve) => setTimeout(resolve, 1));
    this.#running--;
    return this.#most;
  }
}

export class GatedObject extends RpcObject {
  readonly #register = new Register(this.ctx.storage);

  override target(): Register {
    return this.#register;
  }
}

/** An object whose options and target fail as its name says, until it is repaired. */
export class FaultyObject extends RpcObject<Env> {
  #isRepaired = false;

  override rpcOptions(): RpcServerOptions {
    if (!this.#isRepaired && this.ctx.id.name === 'options') return { limits: { maxReferences: -1 } };
    return {};
  }

  override target(): RpcTarget {
    if (!this.#isRepaired && this.ctx.id.name === 'target') throw new TypeError('no target today');
    return new Drawer('repaired');
  }

  repair(): void {
    this.#isRepaired = true;
  }
}

/** An object that has never heard of this library. */
export class PlainObject extends DurableObject {
  override async fetch(request: Request): Promise<Response> {
    return new Response(`reached by ${request.method}`);
  }
}

const EVICT = '/evict-for-tests';

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === EVICT) {
      const { default: unsafe } = await import(['workerd', 'unsafe'].join(':')); // not for the bundler to look for
      await unsafe.evictAllDurableObjects({ webSockets: 'hibernate' });
      return new Response();
    }
    if (pathname === '/repair') {
      const name = searchParams.get('name')!;
      await env.FAULTY.getByName(name).repair();
      return new Response();
    }
    if (pathname === '/unnamed/desk/a') return (await routeRpc(request, env, { prefix: '/unnamed' }))!;
    const authenticate = (_request: Request, { token }: { token: string | undefined }) => {
      if (token === 'throws') throw new Error('the user data base is away');
      if (token === 'response') return new Response('teapot', { status: 418 });
      return token === undefined ? { name: 'anyone' } : token === 'nobody' ? undefined : { name: token };
    };
    const options = { bindings: ['DESK', 'GATED', 'FAULTY'], authenticate } as const;
    return (await routeRpc(request, env, options)) ?? new Response('elsewhere', { status: 404 });
  },
} satisfies ExportedHandler<Env>;
