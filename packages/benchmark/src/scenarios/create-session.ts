import type { Session, SessionRequest } from '../gateway/gateway.ts';
import { Listeners } from '../gateway/listeners.ts';
import { closeAndSettle, signedIn } from '../gateway/sign-in.ts';
import { CREATOR, LISTENER, tokensOf } from '../gateway/users.ts';
import { expectAnswer, type Scenario } from './scenario.ts';

/** Before the clock starts: the first ones go through code that is not compiled yet. */
const FIRST_SESSIONS = 5;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * `sessions` sessions made, each when all `listeners` have heard of the one before. What is timed is the reply, or, with
 * `deliveries`, the way to each listener; what is not timed is awaited and verified all the same.
 */
export function createSession(name: string, sessions: number, listeners: number, deliveries = false): Scenario {
  return {
    ...{ family: 'latency', name, sample: deliveries ? 'delivery' : 'call', operations: sessions, increments: 0 },
    ownObject: true,
    async measure(bench, samplesMs) {
      const tokens = await tokensOf();
      const gateway = await signedIn(bench, tokens.creator, CREATOR.name);
      let audience: Listeners | undefined;
      try {
        audience = await Listeners.open(listeners, () => signedIn(bench, tokens.listener, LISTENER.name));
        await expectRefused('a session without a title', gateway.createSession({ ...requestOf(0), title: '' }));
        await expectRefused('a session of whom may make none', audience.anyone.createSession(requestOf(0)));
        const ids = new Set<string>();
        let totalMs = 0;
        for (let i = 0; i < FIRST_SESSIONS + sessions; i++) {
          const request = requestOf(i);
          const isTimed = i >= FIRST_SESSIONS;
          const arrivals: number[] = [];
          const start = performance.now();
          audience.making(arrivals);
          const session = await gateway.createSession(request);
          const replyMs = performance.now() - start;
          await audience.everyone;
          const everyoneMs = performance.now() - start;
          if (isTimed) {
            samplesMs.push(...(deliveries ? arrivals : [replyMs]));
            totalMs += deliveries ? everyoneMs : replyMs;
          }
          expectSession(session, request);
          audience.expectNewest(session);
          ids.add(session.id);
        }
        expectAnswer('the number of different ids', ids.size, FIRST_SESSIONS + sessions);
        expectAnswer('countSessions', await gateway.countSessions(), FIRST_SESSIONS + sessions);
        return totalMs;
      } finally {
        audience?.close();
        await closeAndSettle(gateway);
      }
    },
  };
}

function requestOf(i: number): SessionRequest {
  return { title: `Session ${i}`, agent: 'coder' };
}

async function expectRefused(what: string, answer: PromiseLike<Session>): Promise<void> {
  const isRefused = await answer.then(
    () => false,
    () => true,
  );
  expectAnswer(`whether there is no such thing as ${what}`, isRefused, true);
}

function expectSession({ id, title, agent, owner, createdAt }: Session, request: SessionRequest): void {
  expectAnswer('the title', title, request.title);
  expectAnswer('the agent', agent, request.agent);
  expectAnswer('the owner', owner, CREATOR.name);
  expectAnswer('whether the id is a UUID', UUID.test(id), true);
  expectAnswer('whether there is a time', Number.isInteger(createdAt), true);
}
