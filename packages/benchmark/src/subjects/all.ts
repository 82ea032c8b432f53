import { connect } from '@lumenize/rpc';
import { connectHttp } from '@lumenize/rpc/http';
import { newHttpBatchRpcSession } from 'capnweb';
import { tokensOf } from '../gateway/gateway.ts';
import type { Work } from '../work/work.ts';
import { capnweb, capnwebPlain } from './capnweb.ts';
import { earlier, lumenize, lumenizeAt, open } from './lumenize.ts';
import { PORT_SUBJECTS } from './ports.ts';
import { floor, raw, rawAt, rawPlain } from './raw.ts';
import {
  callEach,
  connectionOf,
  FEATURE_NAMES,
  type Feature,
  inWorker,
  type Subject,
  type SubjectName,
} from './subject.ts';

const NEEDS_TOKEN: ReadonlySet<Feature> = new Set(['authentication', 'all']);
const IS_TRACED: ReadonlySet<Feature> = new Set(['tracing', 'all']);

/** Lumenize RPC with each feature alone, without any, and with all. */
export const FEATURE_SUBJECTS = Object.fromEntries(
  FEATURE_NAMES.map((feature) => [feature, subjectWith(feature)]),
) as Readonly<Record<Feature, Subject>>;

function subjectWith(feature: Feature): Subject {
  const hasToken = NEEDS_TOKEN.has(feature);
  return {
    name: feature,
    carrier: 'socket',
    async connect(baseUrl, instance) {
      // Loaded only here, because no other subject should be measured with OpenTelemetry loaded.
      const observe = IS_TRACED.has(feature) ? (await import('./tracing.ts')).tracing() : undefined;
      const token = hasToken ? (await tokensOf()).creator : undefined;
      const path = `${hasToken ? 'secure' : 'rpc'}/feature-${feature}/${instance}`;
      const [stub, close] = open(connect, baseUrl, path, { token, observe });
      // With an argument, even if nothing validates it, so that all features have the same frames.
      const increment = () => stub.increment(1);
      return connectionOf({ increment, getValue: () => stub.getValue(), reset: () => stub.reset() }, close);
    },
  };
}

/** Lumenize RPC over HTTP. The calls of a turn are the body of one request. */
const lumenizeHttp: Subject = {
  name: 'lumenize-http',
  carrier: 'http',
  async connect(baseUrl, instance) {
    const stub = connectHttp(`${baseUrl}/rpc/counter/${instance}`);
    return connectionOf(stub, () => stub[Symbol.dispose]());
  },
};

/**
 * Cap'n Web over HTTP, as its documentation uses it. A session is one batch, so every turn has a session of its own.
 */
const capnwebHttp: Subject = {
  name: 'capnweb-http',
  carrier: 'http',
  connect(baseUrl, instance) {
    const session = newHttpBatchRpcSession as unknown as (url: string) => Work;
    const begin = () => session(`${baseUrl}/capnweb/counter/${instance}`);
    return {
      get work() {
        return begin();
      },
      incrementInOneTurn(n) {
        const work = begin();
        return callEach(n, () => work.increment());
      },
      close() {},
    };
  },
};

/** Every subject by its name. */
export const SUBJECTS: Readonly<Record<SubjectName, Subject>> = {
  lumenize,
  // Without hibernation, on the kind of socket that Cap'n Web uses.
  'lumenize-accept': lumenizeAt('lumenize-accept', 'counter-accept'),
  // With a topic whose events are stored in batches, after they were sent.
  'lumenize-batches': lumenizeAt('lumenize-batches', 'counter-batches'),
  'lumenize-http': lumenizeHttp,
  // From a Worker to an object, over the platform's own RPC.
  'lumenize-native': inWorker('lumenize-native'),
  capnweb,
  'capnweb-plain': capnwebPlain,
  'capnweb-http': capnwebHttp,
  raw,
  // Over an `accept()`ed socket.
  'raw-accept': rawAt('raw-accept', 'raw-accept'),
  'raw-plain': rawPlain,
  floor,
  // With the calls of a turn in one frame: the lower bound of a burst.
  'raw-one-frame': rawAt('raw-one-frame', 'raw', (client, n) => client.callInOneFrame(n, 'increment')),
  // The platform's own RPC from a Worker to the same object.
  native: inWorker('native'),
  earlier,
  ...PORT_SUBJECTS,
  ...FEATURE_SUBJECTS,
};
