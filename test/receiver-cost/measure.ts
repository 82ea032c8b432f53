import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readMemory } from '@lumenize/hosts/process-memory';
import { connect, type Stub } from '@lumenize/rpc';
import { WebSocket } from 'ws';
import { CLIENT_PREFIX, SUBPROTOCOL } from '../../packages/rpc/src/protocol.ts';
import { COLLECT_PATH, VICTIM_PATH } from '../hostile/paths.ts';
import { aliveBytes, ask, serveHostileWorker } from '../hostile/serve.ts';
import type { VictimTarget } from '../hostile/victim-target.ts';
import type { ServedWorker } from '../support/workerd.ts';
import type { CostKind } from './kind.ts';

/** What input cost a workerd process. */
export interface Cost {
  /** Bytes that were sent. */
  sent: number;
  /** By how much the memory that is resident grew, at the most; of what waits, what is alive when garbage has been collected. */
  memory: number;
  /** Until the object served others again. */
  ms: number;
  /** The code with which the server closed the connection, if it did. */
  closed: number | undefined;
}

/** Bytes of input to measure with: what garbage collection leaves to chance is small beside them. */
const BYTES = 1_000_000;
const WARM_UP_BYTES = 2000;
const POLL_MS = 5;

/** Sends input of a kind to a workerd that was just started, and looks what that took until all was handled. */
export async function measureCost(worker: ServedWorker, kind: CostKind, bytes = BYTES): Promise<Cost> {
  if (kind.group === 'waiting') return measureAlive(kind, bytes);
  await worker.kill();
  await worker.restart();
  using bystander = await warmedUp(worker, kind);
  for (let round = 0; round < 2; round++) await ask(worker, COLLECT_PATH);
  const id = (await worker.processId())!;
  // Forgets the peak.
  await writeFile(`/proc/${id}/clear_refs`, '5');
  const before = await readMemory(id);
  const { end, ...cost } = await send(worker, bystander, kind, bytes);
  const { peakBytes } = await readMemory(id);
  end();
  return { ...cost, memory: peakBytes - before.residentBytes };
}

/** Looks what is alive of it, when all was handled: garbage that it made before is not what waits. */
async function measureAlive(kind: CostKind, bytes: number): Promise<Cost> {
  // One that was started again has its inspector elsewhere.
  await using worker = await serveHostileWorker();
  using bystander = await warmedUp(worker, kind);
  const before = await aliveBytes(worker);
  const { end, ...cost } = await send(worker, bystander, kind, bytes);
  const after = await aliveBytes(worker);
  end();
  return { ...cost, memory: after - before };
}

/** What is loaded and compiled once is not what the input costs. */
async function warmedUp(worker: ServedWorker, kind: CostKind): Promise<Stub<VictimTarget>> {
  const bystander = connect<VictimTarget>(worker.url(VICTIM_PATH));
  (await send(worker, bystander, { ...kind, group: 'frames' }, WARM_UP_BYTES)).end();
  return bystander;
}

async function send(
  worker: ServedWorker,
  bystander: { readonly received: PromiseLike<number> },
  kind: CostKind,
  bytes: number,
) {
  const frames = kind.frames(bytes);
  const socket = new WebSocket(
    worker.url(VICTIM_PATH),
    [SUBPROTOCOL, `${CLIENT_PREFIX}${randomBytes(16).toString('hex')}.1.1`],
    { perMessageDeflate: false, maxPayload: 0 },
  );
  let closed: number | undefined;
  socket.on('error', () => {});
  socket.on('close', (code) => {
    closed = code;
  });
  await once(socket, 'open');
  if (kind.group === 'unread') socket.pause();
  const before = await bystander.received;
  const start = performance.now();
  for (const frame of frames) socket.send(frame);
  // The bystander's own calls count too.
  for (let asked = 1; (await bystander.received) - before - asked < frames.length && closed === undefined; asked++) {
    await sleep(POLL_MS);
  }
  // A closed connection may have frames that are handled yet.
  await bystander.received;
  const ms = performance.now() - start;
  return {
    sent: frames.reduce((sum, { length }) => sum + length, 0),
    ms,
    closed,
    end: () => {
      socket.removeAllListeners('close');
      socket.terminate();
    },
  };
}
