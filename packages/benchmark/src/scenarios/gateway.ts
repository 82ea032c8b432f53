import type { GatewayConnection, Session, SessionRequest } from '../gateway/gateway.ts';
import { CREATOR, LISTENER, tokensOf } from '../gateway/gateway.ts';
import { Unavailable } from '../subjects/subject.ts';
import { Hearers } from './hearers.ts';
import { type Bench, delay, expectAnswer, oneByOne, type Scenario, type Step, timed } from './scenario.ts';

/** Before the clock starts: the first ones go through code that is not compiled yet. */
const FIRST = 5;
/** Time for a socket to close, so that it is not part of what comes next. */
const CLOSING_MS = 2;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Connects with a token, which the server may not have looked at yet; throws `Unavailable` where the subject has no gateway. */
async function connectAs(bench: Bench, token: string): Promise<GatewayConnection> {
  if (!bench.connectAs) throw new Unavailable('it has no gateway');
  return bench.connectAs(token);
}

/** Opens a connection that the server has taken for that user's. */
async function signedIn(bench: Bench, token: string, name: string): Promise<GatewayConnection> {
  const gateway = await connectAs(bench, token);
  expectAnswer('whoAmI', await gateway.whoAmI(), name);
  return gateway;
}

async function closeAndSettle(gateway: GatewayConnection): Promise<void> {
  gateway.close();
  await delay(CLOSING_MS);
}

/** Lets `work` use a connection of the user who may make sessions, and closes it. */
async function asCreator(bench: Bench, work: (gateway: GatewayConnection) => Promise<number>): Promise<number> {
  const gateway = await signedIn(bench, (await tokensOf()).creator, CREATOR.name);
  return work(gateway).finally(() => closeAndSettle(gateway));
}

/** Throws unless that is refused. */
async function expectRefused(what: string, answer: PromiseLike<unknown>): Promise<void> {
  const refused = await Promise.resolve(answer).then(
    () => false,
    () => true,
  );
  expectAnswer(`whether ${what} is refused`, refused, true);
}

/** `calls` calls of a method without state, each begun when the one before it has been answered. */
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

/** From connecting with a token to the first answer, `connections` times, each closed before the next. */
export function connectAuthenticateFirstResult(name: string, connections: number): Scenario {
  return {
    ...{ name, sample: 'connection', operations: connections, increments: 0, counted: false },
    async measure(bench, samplesMs) {
      const { creator, forged } = await tokensOf();
      // The server looks at tokens at all.
      const stranger = await connectAs(bench, forged);
      await expectRefused('a forged token', stranger.whoAmI());
      await closeAndSettle(stranger);
      return timed(
        connections,
        samplesMs,
        async () => {
          const gateway = await connectAs(bench, creator);
          return { gateway, answer: await gateway.whoAmI() };
        },
        ({ gateway, answer }) => {
          expectAnswer('whoAmI', answer, CREATOR.name);
          return closeAndSettle(gateway);
        },
      );
    },
  };
}

/**
 * `sessions` sessions made, each when all `listeners` have heard of the one before. What is timed is the reply, or, with
 * `deliveries`, the way to each listener; what is not timed is awaited and verified all the same.
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
          let anyone: GatewayConnection | undefined;
          for (let i = 0; i < listeners; i++) {
            await audience.add(signedIn(bench, token, LISTENER.name), (listener, { hear, fail }) => {
              anyone = listener;
              return listener.listen({ receive: (_, session) => hear(session), fail });
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
 * Untimed work of a gateway, which has code of its own: calls one at a time, by whose times steadiness is judged, and then
 * sessions. Without it a library that the counter has warmed up would be ahead of what is written by hand.
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

/** Who hear of each session. */
const LISTENERS = 5;

/** What a gateway adds to each request: calls, connections and sessions, with everybody else told of them. */
export const LATENCY_SCENARIOS: readonly Scenario[] = [
  ping('latency/ping', 100),
  connectAuthenticateFirstResult('latency/connect-authenticate-first-result', 5),
  createSession('latency/create-session', 20, LISTENERS),
  createSession('latency/session-broadcast', 20, LISTENERS, true),
];
