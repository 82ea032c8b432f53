import { connect } from '@lumenize/rpc';
import { FEATURES, type Feature } from '../features/feature.ts';
import { tokensOf } from '../gateway/users.ts';
import { callEach } from './call-each.ts';
import type { Connection, Subject } from './subject.ts';
import { Unavailable } from './unavailable.ts';

interface Increments {
  increment(by: number): number;
  getValue(): number;
  reset(): void;
}

const NEEDS_TOKEN: ReadonlySet<Feature> = new Set(['authentication', 'all']);

/** Lumenize RPC with each feature alone, without any, and with all. */
export const FEATURE_SUBJECTS = Object.fromEntries(
  FEATURES.map((feature) => [feature, feature === 'tracing' ? tracing() : subjectWith(feature)]),
) as Readonly<Record<Feature, Subject>>;

function subjectWith(feature: Feature): Subject {
  const hasToken = NEEDS_TOKEN.has(feature);
  const path = `${hasToken ? 'secure' : 'rpc'}/feature-${feature}`;
  return {
    name: feature,
    carrier: 'socket',
    async connect(baseUrl, instance): Promise<Connection> {
      const token = hasToken ? (await tokensOf()).creator : undefined;
      const stub = connect<Increments>(`${baseUrl.replace('http', 'ws')}/${path}/${instance}`, { token });
      return {
        // With an argument, also where nothing looks at it: the frames are the same for all.
        increment: () => stub.increment(1),
        getValue: () => stub.getValue(),
        reset: () => stub.reset(),
        incrementInOneTurn: (n) => callEach(n, () => stub.increment(1)),
        close: () => stub[Symbol.dispose](),
      };
    },
  };
}

function tracing(): Subject {
  return {
    name: 'tracing',
    carrier: 'socket',
    connect() {
      throw new Unavailable(
        'the library tells of errors and of what is refused, by onError, onRefused and rpcMetrics, but has no hook around each call yet',
      );
    },
  };
}
