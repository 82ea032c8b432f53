import type { Library } from '../loading/library.ts';
import { createSimulatedWorld } from '../simulated-world.ts';
import { scenarioOf } from './all.ts';
import type { SideEdge } from './known-edges.ts';
import { Stage } from './stage.ts';

const ENTRY = 'packages/simulation/programs/worker.ts';
/** The time after which a scenario counts as hanging, in milliseconds of the world. */
const LONGEST_MS = 600_000;

/** Runs a scenario in a simulated world, with an option if it tries one. Returns everything that is wrong. */
export async function runScenario(
  name: string,
  seed: number,
  library?: Library,
  edge?: SideEdge,
): Promise<readonly string[]> {
  const world = await createSimulatedWorld(seed, { entry: ENTRY, binding: 'program', ...(library && { library }) });
  const stage = new Stage(world, seed, edge);
  const play = async () => {
    await scenarioOf(name)(stage);
    await stage.close();
    return true;
  };
  try {
    await world.run(async () => {
      const isOver = await Promise.race([play(), world.sleep(LONGEST_MS)]);
      stage.check(isOver === true, 'it never comes to an end');
      await world.calm();
    });
  } catch (error) {
    stage.check(false, `it fails: ${error instanceof Error ? error.message : error}`);
  }
  return [...stage.wrong, ...(await world.end())];
}
