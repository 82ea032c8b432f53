// Replaces console.debug with a no-op, so that nobody's debug output is measured.
import '@transformation-dev/debug';
import { connectBinding } from '@lumenize/rpc/binding';
import { routeRpc } from '@lumenize/rpc/server';
import { uncompressed } from '../../../examples/counter/src/uncompressed.ts';
import { runBlock } from '../src/blocks/block.ts';
import { verifyToken } from '../src/gateway/gateway.ts';
import { WARM_UP } from '../src/scenarios/counter.ts';
import { carrierScenarios } from '../src/scenarios/turns.ts';
import {
  type BlockRequest,
  type BlockTimes,
  connectionOf,
  type InWorkerSubject,
  NOT_IMPLEMENTED,
  type Subject,
  Unavailable,
} from '../src/subjects/subject.ts';

export * from './capnweb.ts';
export * from './lumenize.ts';
export * from './raw.ts';

/** The bindings of `wrangler.toml` beside this file. */
type Env = Readonly<Record<string, DurableObjectNamespace>>;

/** The objects of Lumenize RPC. Only the family of starts binds `COUNTER_ONCE`. */
const SERVED = [
  'COUNTER',
  'COUNTER_ACCEPT',
  'COUNTER_BATCHES',
  'COUNTER_ONCE',
  'GATEWAY',
  'GATEWAY_ACCEPT',
  ...['BASE', 'AUTHENTICATION', 'VALIDATION', 'RATE_LIMIT', 'EXACTLY_ONCE', 'TRACING', 'ALL'].map(
    (feature) => `FEATURE_${feature}`,
  ),
];

/** The addresses of all but Lumenize RPC's objects, as the counter's Worker has them. */
const PEER = /^\/(capnweb|raw|raw-accept)(-plain)?\/([a-z]+)\/([^/]+)$/;

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === '/run-block') return answerBlock(request, env.COUNTER);
    const [, peer, plain, what, name] = PEER.exec(pathname) ?? [];
    const objects = env[`${what}_${peer}`.toUpperCase().replace('-', '_')];
    if (objects) return objects.get(objects.idFromName(name)).fetch(plain ? uncompressed(request) : request);
    return (
      (await routeRpc(request, env, { bindings: SERVED })) ??
      (await routeRpc(request, env, {
        bindings: SERVED,
        prefix: '/secure',
        authenticate: (_request, { token }) => verifyToken(token),
      })) ??
      new Response('Not found', { status: 404 })
    );
  },
} satisfies ExportedHandler<Env>;

/** A Worker's clock counts whole milliseconds, of which a usual block has two or three. */
const TIMES = 25;
const HERE = 'in this Worker';
const LONGER = new Map(carrierScenarios(TIMES).map((scenario) => [scenario.name, scenario]));

/**
 * Runs a block of a subject whose client is this Worker, `TIMES` as long as usual, and answers with the time of a usual
 * one; its only sample is the mean.
 */
async function answerBlock(request: Request, objects: DurableObjectNamespace): Promise<Response> {
  const [name, subject, instance]: BlockRequest = await request.json();
  try {
    return Response.json(await longBlock(name, clientIn(subject, objects), instance));
  } catch (error) {
    if (error instanceof Unavailable) return new Response(error.message, { status: NOT_IMPLEMENTED });
    return new Response(error instanceof Error ? error.stack : String(error), { status: 500 });
  }
}

async function longBlock(name: string, subject: Subject, instance: string): Promise<BlockTimes> {
  if (name === WARM_UP.name) return runBlock(WARM_UP, subject, HERE, instance);
  const scenario = LONGER.get(name);
  if (!scenario) throw new Unavailable(`no Worker makes the calls of ${name} yet`);
  const { totalMs } = await runBlock(scenario, subject, HERE, instance);
  return { totalMs: totalMs / TIMES, samplesMs: [totalMs / scenario.operations] };
}

function clientIn(name: InWorkerSubject, objects: DurableObjectNamespace): Subject {
  return {
    name,
    carrier: 'binding',
    async connect(_baseUrl, instance) {
      const object = objects.get(objects.idFromName(instance));
      if (name === 'native') return connectionOf(object, () => {});
      const stub = connectBinding(object);
      return connectionOf(stub, () => stub[Symbol.dispose]());
    },
  };
}
