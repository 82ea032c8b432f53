import adapter from '../contract/capnweb/adapter-worker.ts';
import worker from './shared-worker.ts';

export { ContractObject as AdapterObject, RulesObject } from '../contract/capnweb/adapter-worker.ts';
export * from './shared-worker.ts';

interface Env {
  readonly ADAPTER: DurableObjectNamespace;
  readonly RULES: DurableObjectNamespace;
}

/** Paths of objects that take clients of Cap'n Web too. */
const ADAPTED = /^\/capnweb\/|^\/rpc\/rules\//;

/** All objects that tests call from Node, also those for Cap'n Web: one process serves them to all files of a run. */
export default {
  fetch(request, env) {
    if (!ADAPTED.test(new URL(request.url).pathname)) return worker.fetch(request, env);
    return adapter.fetch(request, { CONTRACT: env.ADAPTER, RULES: env.RULES });
  },
} satisfies ExportedHandler<Env>;
