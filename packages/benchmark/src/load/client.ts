// The load generator: a process of its own, so that nothing but the server shares its cores while it measures.
import '@transformation-dev/debug';
import { seededRandom } from '@lumenize/hosts/random';
import { scenarioNamed } from '../scenarios/all.ts';
import { WARM_UP } from '../scenarios/warm-up.ts';
import { SUBJECTS } from '../subjects/all.ts';
import { loadEarlier } from '../subjects/earlier.ts';
import { Unavailable } from '../subjects/unavailable.ts';
import { answerPlan } from './answer-plan.ts';
import { runBlock } from './block.ts';
import type { BlockTimes } from './block-times.ts';
import { countFrames } from './frame-counter.ts';
import { objectNames } from './object-names.ts';
import type { Arm, Block, LaunchPlan, LaunchReport, Unavailability } from './plan.ts';
import { schedule } from './schedule.ts';
import { SharedBenches } from './shared-benches.ts';
import { warmUp } from './warm-up.ts';
import { watchHealth } from './watch-health.ts';

/** The first slot has a round of everything, which is worth more than keeping to the time exactly. */
const FIRST_SLOT_GRACE = 1.5;

answerPlan(launch);

async function launch(
  { url, directUrl, seed, scenarios, ...plan }: LaunchPlan,
  onProgress: (blocks: number) => void,
): Promise<LaunchReport> {
  const arms = [...new Map(scenarios.flatMap((each) => each.arms).map((arm) => [arm.id, arm])).values()];
  const begun = performance.now();
  if (plan.earlier) await loadEarlier(plan.earlier);
  const instanceOf = objectNames(seed, plan.names);
  const warming = scenarioNamed(plan.warmUpScenario ?? WARM_UP.name);
  const warmUps = plan.warmUp ? await warmUp(warming, directUrl ?? url, arms, instanceOf, plan.warmUpLimitMs) : [];

  const health = watchHealth();
  const blocks: Block[] = [];
  const unavailable: Unavailability[] = [];
  const has = (noted: readonly { scenario: string; arm: string }[], scenario: string, { id }: Arm) =>
    noted.some((each) => each.scenario === scenario && each.arm === id);
  // What has worked once is tried again.
  const isAvailable = (scenario: string, arm: Arm) => has(blocks, scenario, arm) || !has(unavailable, scenario, arm);
  const benches = new SharedBenches(url, instanceOf);
  let round = '';
  for (const { scenario, arm, slot, ...position } of schedule(scenarios, seededRandom(seed))) {
    // A round is finished once it has begun: half of one compares nothing.
    const next = `${scenario}/${position.round}`;
    const limitMs = slot === 0 ? FIRST_SLOT_GRACE * plan.limitMs : plan.limitMs;
    if (next !== round && performance.now() - begun > limitMs) break;
    const work = scenarioNamed(scenario);
    if (next !== round) {
      // Nothing is timed meanwhile, and many connections at once are late.
      health.pause();
      const { arms: all } = scenarios.find((each) => each.scenario === scenario)!;
      const without = await benches.prepare(
        work,
        all.filter((each) => isAvailable(scenario, each)),
      );
      unavailable.push(...without.map((each) => ({ scenario, ...each })));
      health.resume();
    }
    round = next;
    if (!isAvailable(scenario, arm)) continue;
    let times: BlockTimes;
    try {
      const instance = instanceOf(arm, work.ownObject || work.increments > 0);
      times = await runBlock(work, SUBJECTS[arm.subject], url, instance, { directUrl, bench: benches.of(arm) });
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      unavailable.push({ scenario, arm: arm.id, reason: error.message });
      continue;
    }
    blocks.push({ scenario, arm: arm.id, ...position, ...times });
    onProgress(blocks.length);
  }
  const client = health.end();
  await benches.close();

  const counted = scenarios
    .filter(({ scenario }) => plan.countFrames.includes(scenario))
    .map((each) => ({ ...each, arms: each.arms.filter((arm) => isAvailable(each.scenario, arm)) }));
  const wire = await countFrames(directUrl ?? url, counted, instanceOf);
  return { blocks, unavailable, warmUps, wire, client };
}
