import { WORK_WORKER } from '@lumenize/hosts/worker-config';
import { type BlocksPlan, planBlocks } from '../blocks/blocks.ts';
import type { Arm, Family, ScenarioPlan } from '../engine/plan.ts';
import { EVENT_SCENARIOS } from '../scenarios/events.ts';
import { GATEWAY_WARM_UP, LATENCY_SCENARIOS } from '../scenarios/gateway.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { CARRIER_SCENARIOS, PIPELINE_SCENARIOS, SIZE_SCENARIOS } from '../scenarios/turns.ts';
import { armsOf, CONTROL, MAIN_ARMS, PLAIN_ARMS } from '../subjects/arms.ts';
import type { SubjectName } from '../subjects/subject.ts';

/** The hosts on which these families can be measured. By default it is only workerd. */
const WORK_HOSTS = ['workerd', 'wrangler-dev'] as const;

type Plans = readonly ScenarioPlan<SubjectName>[];

/** A family with a run of its own that is not part of the short profile: its description, and what it measures. */
interface WorkFamily
  extends Pick<Family, 'name' | 'about' | 'configuration'>,
    Pick<BlocksPlan, 'warmUp' | 'compared' | 'more'> {
  /**
   * Returns the plans with the maximum rounds of a launch, which a fast machine has time for. `whole` is true in the
   * full run.
   */
  plans(whole: boolean): Plans;
  /**
   * The time limits on a host and for each launch if the family is measured alone. The full run uses a share of them.
   */
  readonly times: Readonly<Record<'budgetMs' | 'latestMs' | 'limitMs', number>>;
  /** A subject that takes part whatever subjects are requested. @default none */
  readonly always?: SubjectName;
}

const WHOLE_SHARE = 0.42;

/** The arms over one socket each, if a library supports the work at all. */
const LIBRARY_ARMS = armsOf('lumenize', 'lumenize-accept', 'capnweb');
/** The arms for large values and streams. Compression is most of their cost. */
const SIZE_ARMS = [...LIBRARY_ARMS, ...armsOf('capnweb-plain')];
/** The arms for rows, which hand-written JSON can send as they are. */
const ROW_ARMS = [...SIZE_ARMS, ...armsOf('raw-plain')];
const ROWS = 'echo/rows-200';
/** The arms over everything that carries calls. */
const CARRIER_ARMS = [
  ...LIBRARY_ARMS,
  ...armsOf('lumenize-http', 'capnweb-http', 'lumenize-port', 'capnweb-port', 'raw-port', 'lumenize-native', 'native'),
];
/**
 * The arms for events: topics that store each event, topics that store events in batches, callbacks, and a frame to
 * each socket.
 */
const EVENT_ARMS = [...armsOf('lumenize', 'lumenize-batches', 'capnweb', 'raw'), ...PLAIN_ARMS];
/** The arms of the bars. `LARGE_ARMS` are those that there is time for besides them, if opening each takes seconds. */
const BAR_ARMS = armsOf('lumenize', 'capnweb', 'raw-plain');
const LARGE_ARMS = armsOf('raw', 'capnweb-plain');

const all = (scenarios: readonly Scenario[], arms: readonly Arm<SubjectName>[], rounds: number): Plans =>
  // Fewer rounds of the longest scenarios, because they take longer and vary more.
  scenarios.map(({ name, long }) => ({
    ...{ scenario: name, arms: [...arms, CONTROL], rounds: long ? 1 : rounds, leading: 2 },
  }));

/**
 * Plans all rounds of events at once, so that blocks for one audience follow one another. There are enough rounds for a
 * verdict from three launches.
 */
function eventsPlan({ name: scenario, long }: Scenario, whole: boolean): ScenarioPlan<SubjectName> {
  const isBurst = scenario.endsWith('-burst');
  const large = [...BAR_ARMS, ...(whole ? [] : LARGE_ARMS.slice(0, isBurst ? 1 : 2))];
  const alone = long ? (isBurst ? 2 : 8) : 4;
  const rounds = whole && !(long && isBurst) ? alone - 2 : alone;
  // Twenty events for a thousand callbacks take seconds.
  const mirrored = !(whole && long && isBurst);
  return { scenario, arms: [...(long ? large : EVENT_ARMS), CONTROL], rounds, leading: rounds, mirrored };
}

/** Creates a family that has a Worker of its own. */
export function workFamily({ name, about, configuration, plans, times, always, ...blocks }: WorkFamily): Family {
  const arms = plans(false).flatMap((plan) => plan.arms);
  const control = blocks.compared?.control ?? CONTROL;
  return {
    ...{ name, about, configuration, hosts: WORK_HOSTS },
    subjects: [...new Set(arms.map(({ id }) => id).filter((id) => id !== control.id))],
    /** Takes two to three minutes per host, or four with events, and less than half of that as part of the full run. */
    plan(extent, { hosts = ['workerd'], subjects }) {
      const whole = extent === 'whole';
      const share = whole ? WHOLE_SHARE : 1;
      const launches = { launches: 6, atLeast: 3, limitMs: times.limitMs * share };
      return planBlocks(
        {
          ...{ ...blocks, worker: WORK_WORKER },
          budgetMs: times.budgetMs * share * hosts.length,
          latestMs: times.latestMs * share * hosts.length,
          places: WORK_HOSTS.map((host) => ({ host, ...launches, scenarios: plans(whole) })),
        },
        extent,
        { hosts, subjects: subjects && [...subjects, ...(always ? [always] : [])] },
      );
    },
  };
}

const USUAL = { budgetMs: 170_000, latestMs: 190_000, limitMs: 24_000 };

/** The families of calls that need more than a counter. */
export const WORK_FAMILIES: readonly Family[] = [
  workFamily({
    name: 'pipeline',
    about: 'calls that build on other calls: chains, arguments, batches, map, callbacks',
    configuration: ['The same targets, made of either library’s RpcTarget; a fresh connection for each block'],
    plans: () => all(PIPELINE_SCENARIOS, LIBRARY_ARMS, 12),
    times: USUAL,
  }),
  workFamily({
    name: 'transports',
    about: 'everything that carries calls; large values and streams',
    configuration: [
      'The same target, made of either library’s RpcTarget: in a Durable Object, behind ports in a thread; results are compared with what was sent; a fresh connection for each block',
    ],
    plans: () => [
      ...SIZE_SCENARIOS.flatMap((each) => all([each], each.name === ROWS ? ROW_ARMS : SIZE_ARMS, 5)),
      ...all(CARRIER_SCENARIOS, CARRIER_ARMS, 4),
    ],
    times: USUAL,
  }),
  workFamily({
    name: 'events',
    about: 'from publish() to every one of 1, 100 and 1000 subscribers',
    configuration: [
      'publish() to subscribers of one object, each on a connection of its own, one event at a time and 20 in one turn; ops are events; topics, and hand-written JSON and Cap’n Web callbacks with an SQLite row an event; every subscriber compares number, order and content; an audience of each size for each arm and launch, open from block to block, which has heard 13 events before any is timed; sockets as Node and the runtime make them, which compresses those of Cap’n Web and of hand-written JSON, while Lumenize RPC switches that off by default: “compression off” says what that is worth; nobody waits for what callbacks return, and it is disposed of at once, which favours Cap’n Web; frames and bytes are those of a delivery, counted for up to 100 subscribers over 128 events or more',
    ],
    plans: (whole) => EVENT_SCENARIOS.map((each) => eventsPlan(each, whole)),
    times: { budgetMs: 230_000, latestMs: 240_000, limitMs: 26_000 },
  }),
  workFamily({
    name: 'latency',
    about: 'what each request of a gateway takes: ping; connecting with a token; making a session, and telling of it',
    configuration: [
      'The same gateway for all: ping() has no state; connecting is a new socket, a token with an HMAC that the server checks by WebCrypto, and the first result; createSession() checks a Valibot schema and a permission, makes a UUID, writes an SQLite row, replies, and tells 5 other clients, each of whom compares it with the reply; forged tokens and forbidden sessions have to be refused',
      'Tokens: with the upgrade, checked in the Worker (Lumenize RPC); by authenticate(token), whose result is called without waiting for it (Cap’n Web); in the first frame, beside its call (raw JSON)',
      'Sessions are told by a topic that retains nothing, which writes one row more, the number of its newest event (Lumenize RPC); by callbacks that the object keeps, and calls before it returns (Cap’n Web); by a frame to each socket, after the reply (raw JSON)',
      'Sockets as Node and the runtime make them, which compresses those of Cap’n Web and of hand-written JSON, while Lumenize RPC switches that off by default',
    ],
    plans: () => all(LATENCY_SCENARIOS, MAIN_ARMS, 8),
    times: { budgetMs: 150_000, latestMs: 170_000, limitMs: 21_000 },
    warmUp: GATEWAY_WARM_UP.name,
  }),
];
