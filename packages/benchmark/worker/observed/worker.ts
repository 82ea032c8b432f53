import { collectGarbage, evictObjects } from '@lumenize/hosts/memory-control';
import worker, { type Env } from '../../../../examples/counter/src/worker.ts';
import { lives } from './lives.ts';

export { CounterOnce } from './counter-once.ts';
export {
  CounterCapnWeb,
  CounterLumenize,
  CounterLumenizeAccept,
  CounterRaw,
  CounterRawAccept,
} from './counters.ts';

/** A new version of the code has another number here. */
const OBSERVED_VERSION = 1;

/** The Worker of the counter, and beside it what those who measure ask of it. */
export default {
  async fetch(request, env) {
    switch (new URL(request.url).pathname) {
      case '/observed/collect':
        collectGarbage();
        return new Response();
      case '/observed/evict':
        await evictObjects();
        return new Response();
      case '/observed/lives':
        return Response.json(lives());
      case '/observed/version':
        return Response.json(OBSERVED_VERSION);
      default:
        return worker.fetch(request, env);
    }
  },
} satisfies ExportedHandler<Env>;
