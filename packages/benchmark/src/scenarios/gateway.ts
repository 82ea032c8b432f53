import { CREATOR, LISTENER, type Session, type SessionRequest, tokensOf } from '../gateway/gateway.ts';
import type { Connection } from '../subjects/subject.ts';
import type { Work } from '../work/work.ts';
import { Hearers } from './hearers.ts';
import { type Bench, CLOSING_MS, delay, expectAnswer, oneByOne, type Scenario, type Step, timed } from './scenario.ts';

/** The number of untimed calls. The first calls run code that is not compiled yet. */
const FIRST = 5;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Opens a connection that the server has identified as that user's. */
async function signedIn(bench: Bench, token: string, name: string): Promise<Connection> {
  const connection = await bench.connect(token);
  expectAnswer('whoAmI', await connection.work.whoAmI(), name);
  return connection;
}

async function closeAndSettle(connection: Connection): Promise<void> {
  connection.close();
  await delay(CLOSING_MS);
}

/** Runs `use` with the user who may create sessions, over a connection that is closed afterwards. */
async function asCreator(bench: Bench, use: (gateway: Work) => Promise<number>): Promise<number> {
  const connection = await signedIn(bench, (await tokensOf()).creator, CREATOR.name);
  return use(connection.work).finally(() => closeAndSettle(connection));
}

/** Throws unless a call is refused. */
async function expectRefused(what: string, answer: PromiseLike<unknown>): Promise<void> {
  const refused = await Promise.resolve(answer).then(
    () => false,
    () => true,
  );
  expectAnswer(`whether ${what} is refused`, refused, true);
}

/** Makes `calls` calls of a method without state. Each begins when the one before it has been answered. */
export function ping(name: string, calls: number): Scenario {
  return {
    ...{ name, sample: 'call', operations: calls, increments: 0, counted: false },
    measure: (bench, samplesMs) =>
      asCreator(bench, async (gateway) => {
        const steps: readonly Step[] = [['ping', () => gateway.ping(), () => 'pong']];
        await oneByOne(FIRST, [], steps);
        return oneByOne(calls, samplesMs, steps);
      }),
  };
}

/**
 * Measures from connecting with a token to the first answer, `connections` times. Each connection is closed before the
 * next.
 */
export function connectAuthenticateFirstResult(name: string, connections: number): Scenario {
  return {
    ...{ name, sample: 'connection', operations: connections, increments: 0, counted: false },
    async measure(bench, samplesMs) {
      const { creator, forged } = await tokensOf();
      // Checks that the server verifies tokens. It may not have done so yet when the connection is open.
      const stranger = await bench.connect(forged);
      await expectRefused('a forged token', stranger.work.whoAmI());
      await closeAndSettle(stranger);
      return timed(
        connections,
        samplesMs,
        async () => {
          const connection = await bench.connect(creator);
          return { connection, answer: await connection.work.whoAmI() };
        },
        ({ connection, answer }) => {
          expectAnswer('whoAmI', answer, CREATOR.name);
          return closeAndSettle(connection);
        },
      );
    },
  };
}

/**
 * Creates `sessions` sessions, each after all `listeners` have been told of the one before. The reply is timed or, with
 * `deliveries`, the delivery to each listener. The other one is awaited and verified too.
 */
export function createSession(name: string, sessions: number, listeners: number, deliveries = false): Scenario {
  return {
    ...{ name, sample: deliveries ? 'delivery' : 'call', operations: sessions, increments: 0 },
    ...{ ownObject: true, counted: false },
    measure: (bench, samplesMs) =>
      asCreator(bench, async (gateway) => {
        const audience = new Hearers<Session>('listener');
        try {
          const { listener: token } = await tokensOf();
          let anyone: Work | undefined;
          for (let i = 0; i < listeners; i++) {
            await audience.add(signedIn(bench, token, LISTENER.name), ({ work, subscribe }, { hear, fail }) => {
              anyone = work;
              return subscribe!<Session>({ receive: (_, session) => hear(session), fail });
            });
          }
          await expectRefused('a session without a title', gateway.createSession({ ...requestOf(0), title: '' }));
          await expectRefused('who may make none', anyone!.createSession(requestOf(0)));
          const ids = new Set<string>();
          let totalMs = 0;
          for (let i = 0; i < FIRST + sessions; i++) {
            const arrivals: number[] = [];
            const made = await audience.listen(1, arrivals, async () => {
              const start = performance.now();
              const session = await gateway.createSession(requestOf(i));
              const replyMs = performance.now() - start;
              expectSession(session, requestOf(i));
              return { items: [session], replyMs };
            });
            ids.add(made.items[0].id);
            if (i < FIRST) continue;
            samplesMs.push(...(deliveries ? arrivals : [made.replyMs]));
            totalMs += deliveries ? made.everyoneMs : made.replyMs;
          }
          expectAnswer('the number of different ids', ids.size, FIRST + sessions);
          expectAnswer('countSessions', await gateway.countSessions(), FIRST + sessions);
          return totalMs;
        } finally {
          audience.close();
        }
      }),
  };
}

const requestOf = (i: number): SessionRequest => ({ title: `Session ${i}`, agent: 'coder' });

function expectSession({ id, createdAt, ...session }: Session, request: SessionRequest): void {
  const expected = { ...request, owner: CREATOR.name };
  for (const [name, value] of Object.entries(expected)) {
    expectAnswer(`the ${name}`, session[name as keyof typeof expected], value);
  }
  expectAnswer('whether the id is a UUID', UUID.test(id), true);
  expectAnswer('whether there is a time', Number.isInteger(createdAt), true);
}

const CALLS = ping('warm-up/gateway', 60);
const SESSIONS = createSession('warm-up/sessions', 5, 1);

/**
 * Untimed work of a gateway, which has code of its own: calls one at a time, whose times show whether the arm is
 * steady, and then sessions. Without it, a library that the counter has warmed up would have an advantage over
 * hand-written code.
 */
export const GATEWAY_WARM_UP: Scenario = {
  ...CALLS,
  ownObject: true,
  async measure(bench, samplesMs) {
    const totalMs = await CALLS.measure(bench, samplesMs);
    await SESSIONS.measure(bench, []);
    return totalMs;
  },
};

/** The number of clients that are told of each session. */
const LISTENERS = 5;

/** Requests of a gateway: calls, connections, and sessions that all other clients are told of. */
export const LATENCY_SCENARIOS: readonly Scenario[] = [
  ping('latency/ping', 100),
  connectAuthenticateFirstResult('latency/connect-authenticate-first-result', 5),
  createSession('latency/create-session', 20, LISTENERS),
  createSession('latency/session-broadcast', 20, LISTENERS, true),
];
