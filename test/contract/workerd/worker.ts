import { DurableObject } from 'cloudflare:workers';
import { connectBinding } from '@lumenize/rpc/binding';
import {
  type Caller,
  callContext,
  RpcEntrypoint,
  RpcError,
  RpcObject,
  RpcTarget,
  routeRpc,
  serveRpc,
} from '@lumenize/rpc/server';
import { ContractTarget } from '../contract-target.ts';

export { ContractObject, ContractObjectAccept, NewsObject } from '../worker.ts';

/** Serves the contract suite to Workers that have a service binding. */
export class ContractEntrypoint extends RpcEntrypoint {
  override target(): ContractTarget {
    return new ContractTarget();
  }
}

/** A class that serves no RPC. */
export class StrangeObject extends DurableObject {}

/** Gives each caller a target of its own, and some none. Notes who has connected. */
export class GuardedObject extends RpcObject<unknown, { user: string; since: Date }> {
  readonly #abandoned = Promise.withResolvers<void>();
  readonly connected: string[] = [];

  override target(caller: Caller<{ user: string; since: Date }>): RpcTarget {
    if (caller.identity?.user === 'mallory') throw new RpcError('DENIED', 'mallory may not use this object');
    if (caller.identity?.user === 'broken') throw new Error('a defect of the class');
    return new GuardedTarget(caller, this.#abandoned, this.connected);
  }

  protected override onConnect({ identity }: Caller<{ user: string; since: Date }>): void {
    this.connected.push(`+${identity?.user}`);
  }

  protected override onDisconnect({ identity }: Caller<{ user: string; since: Date }>): void {
    this.connected.push(`-${identity?.user}`);
  }
}

class GuardedTarget extends RpcTarget {
  readonly #caller: Caller<{ user: string; since: Date }>;
  readonly #abandoned: PromiseWithResolvers<void>;
  readonly #connected: readonly string[];

  constructor(
    caller: Caller<{ user: string; since: Date }>,
    abandoned: PromiseWithResolvers<void>,
    connected: readonly string[],
  ) {
    super();
    this.#abandoned = abandoned;
    this.#caller = caller;
    this.#connected = connected;
  }

  whoAmI(): unknown {
    return this.#caller.identity;
  }

  connected(): readonly string[] {
    return this.#connected;
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

const kept: Record<string, ContractTarget> = {};

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    const { CONTRACT, GUARDED } = env as Record<string, DurableObjectNamespace>;
    const user = searchParams.get('user') ?? undefined;
    const identity = user && { user, since: new Date(0) };
    if (pathname === '/plain') {
      return serveRpc(request, new ContractTarget(), { allowedOrigins: ['https://app.test'] });
    }
    if (pathname === '/known') {
      const target = new GuardedTarget({ identity: identity as never, connectionId: '' }, Promise.withResolvers(), []);
      return serveRpc(request, target, { identity });
    }
    // A request that ends without closing the connection that it made.
    if (pathname === '/abandon') {
      const guarded = connectBinding<GuardedTarget>(GUARDED.getByName('abandoned'), { identity: { user: 'ada' } });
      const who = guarded.whoAmI();
      guarded.waitForEver().catch(() => {});
      return Response.json(await who);
    }
    // A connection that a global variable keeps, from one request to the next.
    if (pathname === '/kept') {
      const object = () => CONTRACT.getByName('kept');
      const isNew = searchParams.has('new');
      const name = isNew ? 'new' : 'same';
      kept[name] ??= connectBinding<ContractTarget>(isNew ? object : object()) as never;
      const failed = ({ code, message }: RpcError) => ({ code, message });
      return Response.json(await Promise.resolve(kept[name].add()).catch(failed));
    }
    const bindings = ['CONTRACT', 'CONTRACT_ACCEPT', 'GUARDED', 'NEWS', 'STRANGE'];
    const guarded = await routeRpc(request, env, { bindings, prefix: '/guarded', authenticate: () => identity });
    return guarded ?? (await routeRpc(request, env, { bindings })) ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<Record<string, DurableObjectNamespace>>;
