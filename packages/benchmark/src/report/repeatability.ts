import type { RunRecord } from '../engine/record.ts';
import { isControl, SMALLEST_EFFECT } from '../statistics/comparison.ts';
import { comparisonKey, isSameMachine, readRun } from './record.ts';
import { percent, plainTable, told } from './tables.ts';

/** The share of the second run's ratios that must be inside the first run's intervals. */
const SHARE_INSIDE = 0.9;

/**
 * Compares two runs of the same commit on the same machine. Throws if commit or machine differ, if a tree differed from
 * its commit, or if the runs have no comparison in common.
 */
export function repeatability(first: RunRecord, second: RunRecord) {
  if (first.commit !== second.commit) throw new Error(`the runs are of ${first.commit} and of ${second.commit}`);
  if (first.dirty || second.dirty) throw new Error('a run is of a tree that differed from its commit');
  if (!isSameMachine(first, second)) throw new Error('the runs were made on different machines');
  const [firsts, seconds] = [first, second].map(({ comparisons }) => {
    return new Map(comparisons.filter((each) => !isControl(each)).map((each) => [comparisonKey(each), each]));
  });
  const pairs = [...firsts].flatMap(([key, each]) => {
    const again = seconds.get(key);
    return again ? [{ first: each, second: again }] : [];
  });
  if (pairs.length === 0) throw new Error('the runs have no comparison in common');
  const opposite = pairs.filter(({ first: { verdict: a }, second: { verdict: b } }) =>
    ['faster,slower', 'slower,faster'].includes(`${a},${b}`),
  );
  const outside = pairs.filter(
    ({ first: { ci95 }, second: { ratio } }) =>
      ratio < ci95[0] / (1 + SMALLEST_EFFECT) || ratio > ci95[1] * (1 + SMALLEST_EFFECT),
  );
  const inside = 1 - outside.length / pairs.length;
  return {
    /** The number of comparisons in both runs, without the A/A arms. */
    compared: pairs.length,
    /** The number of comparisons in only one of the runs. */
    single: firsts.size + seconds.size - 2 * pairs.length,
    /** Comparisons that are "faster" in one run and "slower" in the other. */
    opposite,
    /** Comparisons whose second ratio is outside the first interval, widened by the effect that verdicts need. */
    outside,
    /** The share of comparisons that are inside. */
    inside,
    /** True if no comparison is opposite and enough are inside. */
    repeats: opposite.length === 0 && inside >= SHARE_INSIDE,
  };
}

/** Reports in plain text whether two runs agree, and where they do not. */
function repeatabilityReport(found: ReturnType<typeof repeatability>): string {
  const { compared, single, opposite, outside, inside, repeats } = found;
  const rows = [...new Set([...opposite, ...outside])].map(({ first, second }) => [
    ...[first.host, first.scenario, `${first.subject} / ${first.baseline}`, told(first), told(second)],
  ]);
  return `${compared - outside.length} of ${compared} ratios of the second run (${percent(inside)}) are inside the first run’s interval
widened by ${percent(SMALLEST_EFFECT)}; at least ${percent(SHARE_INSIDE)} have to be. Only one of the runs has ${single} more.
Faster in one run and slower in the other: ${opposite.length}; none may be.

${plainTable({ head: ['place', 'scenario', 'subject / baseline', 'first', 'second'], rows })}

The runs ${repeats ? '' : 'do not '}repeat one another.
`;
}

// npm run tool -- repeatability <file> <file>: checks whether two runs of the same commit agree. Exits with 0 if they do,
// with 1 if they do not, and with 2 if they cannot be compared.
if (import.meta.main) {
  const files = process.argv.slice(2);
  try {
    if (files.length !== 2)
      throw new Error('usage: npm run tool -- repeatability <file> <file>, two files of measurements/');
    const [first, second] = files.map((file) => readRun(file));
    const found = repeatability(first, second);
    process.stdout.write(repeatabilityReport(found));
    process.exitCode = found.repeats ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 2;
  }
}
