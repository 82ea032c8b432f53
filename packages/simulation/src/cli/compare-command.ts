import { SingleBar } from 'cli-progress';
import { compareMany } from '../differential/compare.ts';
import { WorkerdHost } from '../workerd/workerd-host.ts';
import { keepProgram } from './show.ts';

/**
 * Compares `count` programs of a seed with workerd, and prints the differences. Resolves with true if there are none.
 */
export async function compareCommand(seed: number, count: number): Promise<boolean> {
  await using host = await WorkerdHost.start();
  const bar = new SingleBar({ format: '{bar} {value}/{total} programs, {duration_formatted}' });
  if (process.stdout.isTTY) bar.start(count, 0);
  const begun = performance.now();
  const found = await compareMany(seed, count, host, (place) => bar.update(place));
  bar.stop();
  for (const { place, program, differs } of found) {
    console.log(`program ${place} of seed ${seed}, in ${await keepProgram(program)}`);
    for (const each of differs) console.log(`  ${each}`);
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed();
  console.log(`${count} programs of seed ${seed} in both worlds, ${seconds} s: ${found.length} with another outcome`);
  return found.length === 0;
}
