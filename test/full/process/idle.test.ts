import { expect, test } from 'vitest';
import { IDLE_KINDS, measureIdle } from '../../hostile/idle.ts';
import { IdleSockets } from '../../hostile/idle-sockets.ts';
import { EVICT_PATH, IDLE_PATH } from '../../hostile/paths.ts';
import { ask, serveHostileWorker } from '../../hostile/serve.ts';

/** `npm run tool -- idle` opens 5000. */
const CONNECTIONS = 500;

/** The answer to a call of `lives`, in the `times`th life of the object. */
const livesAnswer = (times: number) => `[-1,${times}]`;

test('many connections that idle answer after waking, and heartbeats of all of them do not wake the object', {
  timeout: 60_000,
}, async () => {
  await using worker = await serveHostileWorker();
  using sockets = new IdleSockets(worker.url(IDLE_PATH));
  await sockets.grow(CONNECTIONS);
  expect(await sockets.call()).toEqual(new Map([[livesAnswer(1), CONNECTIONS]]));
  await ask(worker, EVICT_PATH);
  for (let round = 0; round < 3; round++) expect(await sockets.beat()).toBe(CONNECTIONS);
  // Had a heartbeat woken the object, this would end that life.
  await ask(worker, EVICT_PATH);
  expect(await sockets.call()).toEqual(new Map([[livesAnswer(2), CONNECTIONS]]));
});

test('a connection that hibernates leaves next to nothing of the library in memory, and one that is awake little', {
  timeout: 120_000,
}, async () => {
  const costs = [];
  for (const kind of IDLE_KINDS) costs.push(await measureIdle(kind, CONNECTIONS));
  expect(costs.map(({ answered }) => answered)).toEqual(costs.map(() => CONNECTIONS));
  const [awake, , hibernating] = costs;
  // With so few connections some of it is what is made once.
  expect(awake.heapBytes).toBeLessThan(1100);
  expect(hibernating.heapBytes).toBeLessThan(450);
});
