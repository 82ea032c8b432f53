import fc from 'fast-check';
import type { Fault } from '../world.ts';
import { normalizeTarget } from './normalize.ts';
import {
  type CallSpec,
  CHECKS,
  type ClientSpec,
  DELIVERIES,
  DOINGS,
  HOWS,
  type MethodChange,
  type MethodSpec,
  type Program,
  REFUSALS,
  RETURNS,
  type ServerSpec,
  SHAPES,
  type Step,
  type StepAction,
  TAKINGS,
  type TargetSpec,
  type TopicSpec,
  USERS,
  WAITS,
  type WaySpec,
} from './program.ts';

/** Options for drawing programs. */
export interface ProgramOptions {
  /** The longest time that one step takes, in milliseconds of the world. */
  readonly longestMs: number;
  /** The kinds of faults to draw from. */
  readonly faults: readonly Fault['kind'][];
  readonly mostSteps: number;
  /** True for programs in which clients become other users, and `target()` fails. */
  readonly changes?: boolean;
}

/** Draws one of these values. The first is drawn more often, and shrinking leads to it. */
function mostly<const T>(values: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(values[0]) },
    { weight: 3, arbitrary: fc.constantFrom(...values) },
  );
}

const member = {
  shape: fc.constantFrom(...SHAPES),
  wait: fc.constantFrom(...WAITS),
  delivery: fc.constantFrom(...DELIVERIES),
  guard: fc.oneof(
    { weight: 4, arbitrary: fc.constant(CHECKS[0]) },
    { weight: 2, arbitrary: fc.constantFrom(...CHECKS) },
  ),
  schema: fc.oneof(
    { weight: 5, arbitrary: fc.constant(CHECKS[0]) },
    { weight: 1, arbitrary: fc.constantFrom(...CHECKS) },
  ),
};

const methodSpec: fc.Arbitrary<MethodSpec> = fc.record(
  {
    ...member,
    does: mostly(['effect', ...DOINGS] as const),
    takes: fc.oneof(
      { weight: 3, arbitrary: fc.constant(TAKINGS[0]) },
      { weight: 1, arbitrary: fc.constantFrom(...TAKINGS) },
    ),
    returns: fc.oneof(
      { weight: 1, arbitrary: fc.constant(RETURNS[0]) },
      { weight: 1, arbitrary: fc.constantFrom(...RETURNS) },
    ),
    hidden: rarely(fc.constant(true), 12),
    schemaList: rarely(fc.constant(true), 2),
    ends: rarely(fc.constantFrom('object' as const, 1000, 1001, 1008, 1011, 4000, 4001, 4400, 4403, 4999), 10),
  },
  { requiredKeys: ['shape', 'wait', 'delivery', 'guard', 'schema', 'does', 'takes', 'returns'] },
);

const methodChange: fc.Arbitrary<MethodChange> = fc.record(
  {
    delivery: fc.constantFrom(...DELIVERIES),
    guard: rarely(fc.constantFrom(...CHECKS), 3),
    gone: rarely(fc.constant(true), 8),
  },
  { requiredKeys: [] },
);

const waySpec: fc.Arbitrary<WaySpec> = fc.record(
  { ...member, isGetter: fc.boolean(), denies: rarely(fc.nat(3), 4) },
  { requiredKeys: ['shape', 'wait', 'delivery', 'guard', 'schema', 'isGetter'] },
);

const topicSpec: fc.Arbitrary<TopicSpec> = fc.record(
  {
    retain: fc.constantFrom(100, 3, 1, 0),
    persist: rarely(fc.constantFrom({ everyEvents: 3, everyMs: 50 }, { everyEvents: 100, everyMs: 1000 }), 3),
  },
  { requiredKeys: ['retain'] },
);

const serverSpec: fc.Arbitrary<ServerSpec> = fc.record(
  {
    maxCallsInFlight: rarely(fc.integer({ min: 1, max: 6 }), 12),
    maxReferences: rarely(fc.integer({ min: 1, max: 4 }), 12),
    maxSubscriptions: rarely(fc.integer({ min: 1, max: 3 }), 12),
    // So that calls of one turn need several frames, and each has room in one.
    maxMessageBytes: rarely(fc.constant(400_000), 6),
    burst: rarely(fc.integer({ min: 5, max: 20 }), 16),
    anyone: rarely(fc.constant(true), 3),
  },
  { requiredKeys: [] },
);

/** Draws targets. */
function targetSpec(): fc.Arbitrary<TargetSpec> {
  const baseGuard = fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...CHECKS) },
  );
  const method = fc.tuple(methodSpec, baseGuard).map(([own, guard]) => (guard ? { ...own, baseGuard: guard } : own));
  const change = fc.oneof(fc.constant<MethodChange>({ delivery: 'exactlyOnce' }), methodChange);
  return fc
    .record(
      {
        methods: fc.array(method, { minLength: 1, maxLength: 6 }),
        ways: fc.array(waySpec, { maxLength: 3 }),
        topics: fc.array(topicSpec, { maxLength: 2 }),
        options: serverSpec,
        next: rarely(fc.array(change, { minLength: 1, maxLength: 6 }), 3),
      },
      { requiredKeys: ['methods', 'ways', 'topics', 'options'] },
    )
    .map(normalizeTarget);
}

const clientSpec: fc.Arbitrary<ClientSpec> = fc.record(
  {
    expiresMs: rarely(fc.constantFrom(2000, 3000, 8000), 5),
    isNobody: rarely(fc.constant(true), 30),
  },
  { requiredKeys: [] },
);

const callSpec: fc.Arbitrary<CallSpec> = fc.record(
  {
    method: fc.nat(5),
    ways: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.nat(2), { maxLength: 2 }) },
    ),
    how: fc.constantFrom(...HOWS),
    count: fc.oneof(fc.nat(3), fc.nat(40)),
    extra: fc.nat(12),
    refuse: rarely(fc.constantFrom(...REFUSALS), 6),
    weight: rarely(fc.constantFrom(1, 20, 100, 300), 10),
    limit: rarely(
      fc.oneof(fc.record({ timeoutMs: fc.nat(400) }), fc.record({ abortMs: fc.integer({ min: -1, max: 200 }) })),
      6,
    ),
    leaveAfter: rarely(fc.nat(5), 4),
    pauseMs: rarely(fc.nat(50), 4),
    usesPrevious: rarely(fc.constant(true), 8),
    mapped: rarely(fc.nat(5), 3),
  },
  { requiredKeys: ['method', 'ways', 'how', 'count', 'extra'] },
);

/** Draws a value once in `times` draws, and undefined otherwise. */
function rarely<T>(arbitrary: fc.Arbitrary<T>, times: number): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

/** Draws programs. */
export function programs({ longestMs, faults, mostSteps, changes = false }: ProgramOptions): fc.Arbitrary<Program> {
  const client = fc.nat(3);
  const ms = fc.nat(3000);
  const direction = fc.constantFrom('up' as const, 'down' as const);
  const every: Record<Fault['kind'], fc.Arbitrary<Fault>> = {
    cut: fc.record(
      { kind: fc.constant('cut' as const), client, direction, afterBytes: fc.oneof(fc.nat(60), fc.nat(3000)) },
      { requiredKeys: ['kind', 'client'] },
    ),
    freeze: fc.record({
      kind: fc.constant('freeze' as const),
      client,
      direction: fc.constantFrom('both' as const, 'up' as const, 'down' as const),
      ms,
    }),
    delay: fc.record({ kind: fc.constant('delay' as const), client, direction, ms: fc.nat(300) }),
    upgrade: fc.record({
      kind: fc.constant('upgrade' as const),
      client,
      how: fc.constantFrom('twice' as const, 'late' as const),
    }),
    evict: fc.constant({ kind: 'evict' }),
    crash: fc.record({ kind: fc.constant('crash' as const), keepsCommits: fc.boolean() }),
    deploy: fc.constant({ kind: 'deploy' }),
    disk: fc.record({
      kind: fc.constant('disk' as const),
      how: fc.constantFrom('full' as const, 'failing' as const),
      ms: fc.nat(500),
    }),
    close: fc.record({
      kind: fc.constant('close' as const),
      client,
      code: fc.constantFrom(1000, 1001, 1008, 1011, 1013, 4000, 4001, 4400, 4401, 4403, 4999),
    }),
    clock: fc.record({
      kind: fc.constant('clock' as const),
      side: fc.constantFrom('object' as const, 'clients' as const),
      ms: fc.integer({ min: -5000, max: 100_000 }),
    }),
    slow: fc.record({ kind: fc.constant('slow' as const), client, ms }),
    offline: fc.record({ kind: fc.constant('offline' as const), client, ms }),
    sleep: fc.record({ kind: fc.constant('sleep' as const), client, ms: fc.nat(60_000) }),
    reload: fc.record({ kind: fc.constant('reload' as const), client }),
    collect: fc.constant({ kind: 'collect' }),
  };
  const calls = fc.record({
    kind: fc.constant('calls' as const),
    client,
    calls: fc.oneof(
      { weight: 3, arbitrary: fc.array(callSpec, { minLength: 1, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.array(callSpec, { minLength: 1, maxLength: 12 }) },
    ),
  });
  const control = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('dispose' as const, 'leave' as const, 'authenticate' as const),
        client,
      }) as fc.Arbitrary<StepAction>,
    },
    {
      weight: 2,
      arbitrary: fc.record(
        {
          kind: fc.constantFrom('close' as const, 'reload' as const),
          client,
          user: rarely(fc.constantFrom(...USERS), 2),
        },
        { requiredKeys: ['kind', 'client'] },
      ) as fc.Arbitrary<StepAction>,
    },
  );
  const change = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record(
        { kind: fc.constant('become' as const), client, user: fc.constantFrom(...USERS), silently: fc.constant(true) },
        { requiredKeys: ['kind', 'client', 'user'] },
      ),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('break' as const), ms: fc.nat(3000) }) },
  ) as fc.Arbitrary<StepAction>;
  const action = fc.oneof(
    { weight: 12, arbitrary: calls as fc.Arbitrary<StepAction> },
    ...(faults.length > 0
      ? [
          {
            weight: 5,
            arbitrary: fc
              .oneof(...faults.map((kind) => every[kind]))
              .map((one): StepAction => ({ kind: 'fault', fault: one })),
          },
        ]
      : []),
    { weight: 2, arbitrary: control },
    ...(changes ? [{ weight: 2, arbitrary: change }] : []),
  );
  // Most errors occur when things happen at almost the same time.
  const after = fc.oneof({ weight: 3, arbitrary: fc.nat(8) }, { weight: 1, arbitrary: fc.nat(longestMs) });
  const steps = fc.array(fc.tuple(after, action), { minLength: 1, maxLength: mostSteps }).map((drawn) => {
    let at = 0;
    return drawn.map(([later, step]): Step => {
      at += later;
      return { at, ...step };
    });
  });
  return fc.record({
    seed: fc.noShrink(fc.nat(0xffff_ffff)),
    target: targetSpec(),
    clients: fc.array(clientSpec, { minLength: 1, maxLength: 4 }),
    steps,
  });
}
