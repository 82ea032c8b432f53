import { setTimeout as delay } from 'node:timers/promises';
import type { Arm, ScenarioPlan, WireCost } from '../engine/plan.ts';
import { scenarioNamed } from '../scenarios/all.ts';
import { SUBJECTS } from '../subjects/all.ts';
import type { SubjectName } from '../subjects/subject.ts';
import { runBlock, unlessUnavailable } from './block.ts';

/** Returns the name of the object for an arm's next block. */
export type ObjectNames = (arm: Arm, writes: boolean) => string;

/** The time to wait for frames that a library sends after an answer, such as the release of a result. */
const AFTERMATH_MS = 20;

const counts = { framesUp: 0, framesDown: 0, bytesUp: 0, bytesDown: 0 };

/**
 * The platform's WebSocket, which counts everything that all instances send and receive. It is used for every subject.
 */
class CountingWebSocket extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols);
    this.addEventListener('message', ({ data }) => {
      counts.framesDown++;
      counts.bytesDown += sizeOf(data);
    });
  }

  override send(data: Parameters<WebSocket['send']>[0]): void {
    counts.framesUp++;
    counts.bytesUp += sizeOf(data);
    super.send(data);
  }
}

function sizeOf(data: string | Blob | ArrayBufferLike | ArrayBufferView): number {
  if (typeof data === 'string') return Buffer.byteLength(data);
  return data instanceof Blob ? data.size : data.byteLength;
}

/**
 * Counts the frames and bytes of one block per scenario and arm, divided by samples. It runs after all timed work,
 * because counting slows it down. An arm that is unavailable is left out.
 */
export async function countFrames(
  url: string,
  plans: readonly ScenarioPlan<SubjectName>[],
  instanceOf: ObjectNames,
): Promise<WireCost[]> {
  const platform = globalThis.WebSocket;
  globalThis.WebSocket = CountingWebSocket;
  try {
    const costs: WireCost[] = [];
    for (const { scenario, arms } of plans) {
      for (const arm of arms.filter(({ subject }) => SUBJECTS[subject].carrier === 'socket')) {
        // A scenario that is unavailable this time has been timed already, or has been reported.
        const cost = await unlessUnavailable(costOf(scenario, arm, url, instanceOf(arm, true)), () => {});
        if (cost) costs.push(cost);
      }
    }
    return costs;
  } finally {
    globalThis.WebSocket = platform;
  }
}

async function costOf(scenario: string, arm: Arm<SubjectName>, url: string, instance: string): Promise<WireCost> {
  const readings: (typeof counts)[] = [];
  const beside = async () => {
    await delay(AFTERMATH_MS);
    readings.push({ ...counts });
  };
  const { counted, ...timed } = scenarioNamed(scenario);
  const { samplesMs } = await runBlock(counted || timed, SUBJECTS[arm.subject], url, instance, { beside });
  const [before, after] = readings;
  const names = Object.keys(counts) as (keyof typeof counts)[];
  const perSample = names.map((name) => [name, (after[name] - before[name]) / samplesMs.length]);
  return { scenario, arm: arm.id, ...(Object.fromEntries(perSample) as typeof counts) };
}
