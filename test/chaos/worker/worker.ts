import { evictObjects } from '@lumenize/hosts/memory-control';
import { RpcObject, routeRpc } from '@lumenize/rpc/server';
import type { Ledger } from '../chaos-calls.ts';
import { ChaosApi } from './chaos-api.ts';
import { LedgerStorage } from './ledger-storage.ts';

/** Few enough that followers that are slow or were offline miss some events. */
const RETAINED = 20_000;

interface Env {
  CHAOS: DurableObjectNamespace<ChaosObject>;
}

/** The object that all clients call. The test calls its own methods without the library. */
export class ChaosObject extends RpcObject<Env> {
  readonly #ledger = new LedgerStorage(this.ctx.storage);
  readonly #values = this.topic<number>('values', { retain: RETAINED });

  override target(): ChaosApi {
    return new ChaosApi(this.#ledger, this.#values);
  }

  ledger(skip: number): Ledger {
    return this.#ledger.read(skip);
  }

  abort(): void {
    this.ctx.abort('aborted for chaos');
  }
}

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const object = env.CHAOS.getByName('main');
    switch (url.pathname) {
      case '/control/ledger':
        return Response.json(await object.ledger(Number(url.searchParams.get('skip'))));
      case '/control/abort':
        // The abort also ends this call.
        await object.abort().catch(() => {});
        return new Response();
      case '/control/evict': {
        try {
          await evictObjects();
        } catch {
          // The object was never idle.
          return Response.json(false);
        }
        return Response.json(true);
      }
      default:
        return (await routeRpc(request, env)) ?? new Response('Not found', { status: 404 });
    }
  },
} satisfies ExportedHandler<Env>;
