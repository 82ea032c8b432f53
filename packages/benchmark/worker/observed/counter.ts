import { collectGarbage, evictObjects } from '@lumenize/hosts/memory-control';
import { RpcObject } from '@lumenize/rpc/server';
import { CounterApi } from '../../../../examples/counter/src/counter-api.ts';
import worker, * as counters from '../../../../examples/counter/src/worker.ts';

/** A new version of the code has another number here. */
const OBSERVED_VERSION = 1;

/** How many objects have been made so far: those that hibernated are made again when they wake. */
let lives = 0;

/** A class of objects, as the runtime makes them. */
type ObjectClass = new (ctx: DurableObjectState, env: counters.Env) => object;

/** Returns the class with each of its objects' lives counted. */
function counted(Counter: ObjectClass): ObjectClass {
  return class extends Counter {
    readonly life = ++lives;
  };
}

class CounterOnceApi extends CounterApi {
  static override readonly rpc = { ...CounterApi.rpc, increment: { exactlyOnce: true } };
}

class Once extends RpcObject<counters.Env> {
  override target(): CounterOnceApi {
    return new CounterOnceApi(this.ctx.storage);
  }
}

export const CounterLumenize: ObjectClass = counted(counters.CounterLumenize);
export const CounterLumenizeAccept: ObjectClass = counted(counters.CounterLumenizeAccept);
export const CounterCapnWeb: ObjectClass = counted(counters.CounterCapnWeb);
export const CounterRaw: ObjectClass = counted(counters.CounterRaw);
export const CounterRawAccept: ObjectClass = counted(counters.CounterRawAccept);
/** The counter whose increments are made again after a loss, and run once. */
export const CounterOnce: ObjectClass = counted(Once);

/** What those who measure ask of the Worker. */
const ASKED: Readonly<Record<string, () => unknown>> = {
  '/observed/collect': collectGarbage,
  '/observed/evict': evictObjects,
  '/observed/lives': () => lives,
  '/observed/version': () => OBSERVED_VERSION,
};

/** The Worker of the counter, and beside it the answers to what is asked of it. */
export default {
  async fetch(request, env) {
    const asked = ASKED[new URL(request.url).pathname];
    return asked ? Response.json((await asked()) ?? null) : worker.fetch(request, env);
  },
} satisfies ExportedHandler<counters.Env>;
