import { delay } from '../delay.ts';
import { scenarioNamed } from '../scenarios/all.ts';
import { SUBJECTS } from '../subjects/all.ts';
import { Unavailable } from '../subjects/unavailable.ts';
import { runBlock } from './block.ts';
import type { ObjectNames } from './object-names.ts';
import type { Arm, ScenarioPlan, WireCost } from './plan.ts';

/** Time for frames that a library sends after an answer, such as the release of a result. */
const AFTERMATH_MS = 20;

const counts = { framesUp: 0, framesDown: 0, bytesUp: 0, bytesDown: 0 };

/** The platform's WebSocket, counting what all instances send and receive: the same instrument for every subject. */
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
 * Counts the frames and bytes of one block per scenario and arm, per sample. It runs after everything timed, because
 * the instrument must not slow it down. An arm that is unavailable is left out.
 */
export async function countFrames(
  url: string,
  plans: readonly ScenarioPlan[],
  instanceOf: ObjectNames,
): Promise<WireCost[]> {
  const platform = globalThis.WebSocket;
  globalThis.WebSocket = CountingWebSocket;
  try {
    const costs: WireCost[] = [];
    for (const { scenario, arms } of plans) {
      const sockets = arms.filter(({ subject }) => SUBJECTS[subject].carrier === 'socket');
      for (const arm of sockets) {
        try {
          costs.push(await costOf(scenario, arm, url, instanceOf(arm, true)));
        } catch (error) {
          // What it cannot do this time was timed nevertheless, or is told of already.
          if (!(error instanceof Unavailable)) throw error;
        }
      }
    }
    return costs;
  } finally {
    globalThis.WebSocket = platform;
  }
}

async function costOf(scenario: string, arm: Arm, url: string, instance: string): Promise<WireCost> {
  let before = { ...counts };
  let after = before;
  const around = {
    async before() {
      await delay(AFTERMATH_MS);
      before = { ...counts };
    },
    async after() {
      await delay(AFTERMATH_MS);
      after = { ...counts };
    },
  };
  const { counted, ...timed } = scenarioNamed(scenario);
  const { samplesMs } = await runBlock(counted ?? timed, SUBJECTS[arm.subject], url, instance, { around });
  const perSample = (key: keyof typeof counts) => (after[key] - before[key]) / samplesMs.length;
  return {
    scenario,
    arm: arm.id,
    framesUp: perSample('framesUp'),
    framesDown: perSample('framesDown'),
    bytesUp: perSample('bytesUp'),
    bytesDown: perSample('bytesDown'),
  };
}
