import { closeAndSettle, connectAs, signedIn } from '../gateway/sign-in.ts';
import { CREATOR, tokensOf } from '../gateway/users.ts';
import { type Bench, expectAnswer, type Scenario } from './scenario.ts';

const FAMILY = 'latency';
/** Before the clock starts: the first ones go through code that is not compiled yet. */
const FIRST_CALLS = 5;

/** `calls` calls of a method without state, each begun when the one before it has been answered. */
export function ping(name: string, calls: number): Scenario {
  return {
    ...{ family: FAMILY, name, sample: 'call', operations: calls, increments: 0 },
    async measure(bench, samplesMs) {
      const { creator } = await tokensOf();
      const gateway = await signedIn(bench, creator, CREATOR.name);
      try {
        for (let i = 0; i < FIRST_CALLS; i++) expectAnswer('ping', await gateway.ping(), 'pong');
        const start = performance.now();
        let before = start;
        for (let i = 0; i < calls; i++) {
          expectAnswer('ping', await gateway.ping(), 'pong');
          const now = performance.now();
          samplesMs.push(now - before);
          before = now;
        }
        return before - start;
      } finally {
        await closeAndSettle(gateway);
      }
    },
  };
}

/** From connecting with a token to the first answer, `connections` times, each closed before the next. */
export function connectAuthenticateFirstResult(name: string, connections: number): Scenario {
  return {
    ...{ family: FAMILY, name, sample: 'connection', operations: connections, increments: 0 },
    async measure(bench, samplesMs) {
      const { creator, forged } = await tokensOf();
      await expectRefusal(bench, forged);
      let totalMs = 0;
      for (let i = 0; i < connections; i++) {
        const start = performance.now();
        const gateway = await connectAs(bench, creator);
        try {
          const answer = await gateway.whoAmI();
          const elapsed = performance.now() - start;
          samplesMs.push(elapsed);
          totalMs += elapsed;
          expectAnswer('whoAmI', answer, CREATOR.name);
        } finally {
          await closeAndSettle(gateway);
        }
      }
      return totalMs;
    },
  };
}

/** Throws unless the server looks at tokens at all. */
async function expectRefusal(bench: Bench, token: string): Promise<void> {
  const gateway = await connectAs(bench, token);
  const name = await gateway.whoAmI().then(
    (answer) => answer,
    () => undefined,
  );
  await closeAndSettle(gateway);
  expectAnswer('whoAmI with a forged token', name, undefined);
}
