import { connect } from '@lumenize/rpc';
import type { Observer } from '@lumenize/rpc/observe';
import { FEATURES, type Feature } from '../features/feature.ts';
import { tokensOf } from '../gateway/users.ts';
import { callEach } from './call-each.ts';
import type { Connection, Subject } from './subject.ts';

interface Increments {
  increment(by: number): number;
  getValue(): number;
  reset(): void;
}

const NEEDS_TOKEN: ReadonlySet<Feature> = new Set(['authentication', 'all']);
const IS_TRACED: ReadonlySet<Feature> = new Set(['tracing', 'all']);

/** Lumenize RPC with each feature alone, without any, and with all. */
export const FEATURE_SUBJECTS = Object.fromEntries(
  FEATURES.map((feature) => [feature, subjectWith(feature)]),
) as Readonly<Record<Feature, Subject>>;

function subjectWith(feature: Feature): Subject {
  const hasToken = NEEDS_TOKEN.has(feature);
  const path = `${hasToken ? 'secure' : 'rpc'}/feature-${feature}`;
  return {
    name: feature,
    carrier: 'socket',
    async connect(baseUrl, instance): Promise<Connection> {
      const observe = IS_TRACED.has(feature) ? await observer() : undefined;
      const token = hasToken ? (await tokensOf()).creator : undefined;
      const stub = connect<Increments>(`${baseUrl.replace('http', 'ws')}/${path}/${instance}`, { token, observe });
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

/** Loaded only here: no other subject is to be measured with OpenTelemetry beside it. */
async function observer(): Promise<Observer> {
  return (await import('../features/tracing.ts')).tracing();
}
