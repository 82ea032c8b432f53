import { collectGarbage, evictObjects } from '@lumenize/hosts/memory-control';
import * as counters from '../../../examples/counter/src/worker.ts';
import worker from './worker.ts';

export * from './worker.ts';

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

export const CounterLumenize: ObjectClass = counted(counters.CounterLumenize);
export const CounterLumenizeAccept: ObjectClass = counted(counters.CounterLumenizeAccept);
export const CounterCapnWeb: ObjectClass = counted(counters.CounterCapnWeb);
export const CounterRaw: ObjectClass = counted(counters.CounterRaw);
export const CounterRawAccept: ObjectClass = counted(counters.CounterRawAccept);

/** Answers the questions of those who measure. */
const ASKED: Readonly<Record<string, () => unknown>> = {
  '/observed/collect': collectGarbage,
  '/observed/evict': evictObjects,
  '/observed/lives': () => lives,
  '/observed/version': () => OBSERVED_VERSION,
};

/** The Worker of the benchmark with the objects of the counter's too, and beside them the answers to what is asked of it. */
export default {
  async fetch(request, env) {
    const asked = ASKED[new URL(request.url).pathname];
    return asked ? Response.json((await asked()) ?? null) : worker.fetch(request, env);
  },
} satisfies typeof worker;
