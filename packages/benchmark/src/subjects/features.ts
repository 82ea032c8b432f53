import { connect } from '@lumenize/rpc';
import { tokensOf } from '../gateway/token.ts';
import { open } from './lumenize.ts';
import { callEach, connectionOf, FEATURE_NAMES, type Feature, type Subject } from './subject.ts';

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
      // Loaded only here: no other subject is to be measured with OpenTelemetry beside it.
      const observe = IS_TRACED.has(feature) ? (await import('./tracing.ts')).tracing() : undefined;
      const token = hasToken ? (await tokensOf()).creator : undefined;
      const path = `${hasToken ? 'secure' : 'rpc'}/feature-${feature}/${instance}`;
      const [stub, close] = open(connect, baseUrl, path, { token, observe });
      // With an argument, also where nothing looks at it: the frames are the same for all.
      const increment = () => stub.increment(1);
      return { ...connectionOf(stub, close), increment, incrementInOneTurn: (n) => callEach(n, increment) };
    },
  };
}
