import { inTurn } from '@lumenize/hosts/in-turn';
import { type Random, shuffled } from '@lumenize/hosts/random';
import type { ObservedWorker } from '../hosts/observed-worker.ts';
import { ClientProcess } from '../load/conversation.ts';
import type { Arm, ClientHealth } from '../load/plan.ts';
import { expectAnswer } from '../scenarios/scenario.ts';
import type { TimedBlock } from '../statistics/pairs.ts';
import { FIRST_CALL, NEW_SESSION, RESUME, type StartProfile, WAKE } from './profile.ts';
import type { StartRequests } from './requests.ts';

/** How a launch is made: a fresh server, and the client's bundle. */
export interface StartParts {
  readonly serve: () => Promise<ObservedWorker>;
  readonly client: string;
  readonly random: Random;
}

/** A block whose time is the mean of some samples. */
export interface SampledBlock extends TimedBlock {
  readonly samplesMs: readonly number[];
}

/** Starts a fresh workerd and a fresh client for each arm, and times the server's start up to the first answer. */
export async function firstCalls(
  arms: readonly Arm[],
  { atOnce }: StartProfile,
  { serve, client, random }: StartParts,
): Promise<SampledBlock[]> {
  const blocks: SampledBlock[] = [];
  const order = shuffled(arms, random);
  await inTurn(order.length, atOnce, async (place) => {
    const { id, subject } = order[place];
    const clients = new ClientProcess<StartRequests>(client);
    try {
      // Its own start is not the server's: it has to be there before.
      await clients.ask('health', {});
      const server = await serve();
      try {
        const { answeredAt } = await clients.ask('firstCall', { url: server.url, subject });
        blocks.push(block(FIRST_CALL, id, 0, [answeredAt - server.spawnedAt()]));
      } finally {
        await server.stop();
      }
    } finally {
      clients.stop();
    }
  });
  return blocks;
}

/** Lets objects hibernate and wake, and cuts connections, round after round, in one workerd with one client. */
export async function sessions(
  arms: readonly Arm[],
  { rounds, objects, cuts }: StartProfile,
  { serve, client, random }: StartParts,
): Promise<{ readonly blocks: SampledBlock[]; readonly client: ClientHealth; readonly startMs: number }> {
  const blocks: SampledBlock[] = [];
  const begun = performance.now();
  const server = await serve();
  const startMs = performance.now() - begun;
  const clients = new ClientProcess<StartRequests>(client);
  const { url } = server;
  const hibernating = arms.filter(({ subject }) => subject === 'lumenize' || subject === 'raw');
  const resuming = arms.filter(({ id, subject }) => id === subject && subject.startsWith('lumenize'));
  try {
    for (const { id, subject } of hibernating) await clients.ask('hold', { url, subject, arm: id, objects });
    for (let round = 0; round < rounds && hibernating.length > 0; round++) {
      await server.evict();
      const before = await server.lives();
      for (const { id } of shuffled(hibernating, random)) {
        const { samplesMs } = await clients.ask('wake', { arm: id });
        blocks.push(block(WAKE, id, round, samplesMs));
      }
      expectAnswer('objects that woke', (await server.lives()) - before, objects * hibernating.length);
    }
    for (let round = 0; round < rounds; round++) {
      for (const { id, subject } of shuffled(arms, random)) {
        const { samplesMs } = await clients.ask('newSession', { url, subject, times: cuts });
        blocks.push(block(NEW_SESSION, id, round, samplesMs));
      }
      for (const { id, subject } of shuffled(resuming, random)) {
        const { samplesMs } = await clients.ask('resume', { url, subject, times: cuts });
        blocks.push(block(RESUME, id, round, samplesMs));
      }
    }
    return { blocks, startMs, client: await clients.ask('health', {}) };
  } finally {
    clients.stop();
    await server.stop();
  }
}

function block(scenario: string, arm: string, round: number, samplesMs: readonly number[]): SampledBlock {
  const totalMs = samplesMs.reduce((sum, each) => sum + each, 0) / samplesMs.length;
  return { scenario, arm, round, pass: 0, totalMs, samplesMs };
}
