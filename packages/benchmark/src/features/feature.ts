/** What Lumenize RPC is measured with, one feature at a time: `base` has none, `all` has all that there are. */
export const FEATURES = [
  'base',
  'authentication',
  'validation',
  'rate-limit',
  'exactly-once',
  'tracing',
  'all',
] as const;

export type Feature = (typeof FEATURES)[number];

/** What each of them is, as the log tells it. */
export const FEATURE_NAMES: Readonly<Record<Feature, string>> = {
  base: 'nothing beside calling, with the limit of a connection’s rate switched off',
  authentication:
    'an HMAC token checked at the upgrade, which is no part of a call, the identity with the connection, and a guard on the method',
  validation: 'a Valibot schema for the argument',
  'rate-limit': 'the limit of a connection that there is by default, and one for all with the same name',
  'exactly-once': 'results stored in the transaction of their effects until the client has them',
  tracing:
    'a span for each call on both sides, made by the SDK of OpenTelemetry, which exports none, and the traceparent with the call',
  all: 'all of these together',
};
