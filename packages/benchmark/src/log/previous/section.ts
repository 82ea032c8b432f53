import { type Commit, type History, readHistory } from '../../environment/history.ts';
import { isSameMachine, type RecordedRun } from '../../recorded/recorded-run.ts';
import { type Change, changesSince } from './changes.ts';
import { changeTable } from './table.ts';

const NOTE =
  'The ratio of now over the ratio of then: above 1, the subject is faster against its baseline than it was. Ratios are ' +
  'compared and not times, since the speed of a machine drifts, and moves both halves of a ratio alike. In brackets the ' +
  '95 % interval, from the intervals of both runs on the logarithmic scale. “Faster” and “slower” need an interval ' +
  'without 1, a change above 3 %, launches enough in both runs, and A/A arms that show no difference in both; about one ' +
  'in fifty comparisons of code that did not change may have one by chance.';

/**
 * Tells in markdown how the ratios of a run went since earlier ones of `recorded`, oldest first, on the same machine:
 * since the newest of each, and since the newest from before the code measured last changed. Entries of trees that
 * differed from their commit are passed over.
 */
export function previousSection(
  run: RecordedRun,
  recorded: readonly RecordedRun[],
  history: History = readHistory(),
): string {
  if (run.comparisons.length === 0)
    return 'This run has no ratios that could be compared with those of earlier entries.';
  const earlier = recorded.filter((each) => each.takenAt < run.takenAt && !each.dirty && isSameMachine(each, run));
  const changes = changesSince(run, earlier);
  if (changes.length === 0) return 'No earlier entry of a machine like this one has any of these comparisons.';
  return [
    NOTE,
    changeTable('Since the entry before', run, changes),
    ...codeLine(run, changes, history),
    sinceLastChange(run, earlier, changes, history),
  ].join('\n\n');
}

/** Says where the entry before measured the same code, so that no change in speed was to be expected. */
function codeLine(run: RecordedRun, changes: readonly Change[], history: History): string[] {
  if (history.missing) return [];
  const last = history.lastChange(run.commit);
  const same =
    last && !run.dirty && changes.every(({ run: { commit } }) => history.isBefore(commit, last.hash) === false);
  return same ? ['The code measured has not changed in between.'] : [];
}

function sinceLastChange(
  run: RecordedRun,
  earlier: readonly RecordedRun[],
  sinceBefore: readonly Change[],
  history: History,
): string {
  const unknown = (why: string) => `What the last change of the code measured did to them is not known: ${why}.`;
  if (history.missing) return unknown(history.missing);
  if (run.dirty) return unknown('it is not committed');
  const last = history.lastChange(run.commit);
  if (!last) return unknown(`git does not know ${run.commit}`);
  const changes = changesSince(
    run,
    earlier.filter(({ commit }) => history.isBefore(commit, last.hash)),
  );
  const lost = earlier.filter(({ commit }) => history.isBefore(commit, last.hash) === undefined).length;
  const note = lost > 0 ? `\n\nEntries of commits that git does not know are passed over: ${lost}.` : '';
  return `${told(run, last, changes, sinceBefore)}${note}`;
}

function told(run: RecordedRun, last: Commit, changes: readonly Change[], sinceBefore: readonly Change[]): string {
  const change = `the last change of the code measured (${last.hash} ${last.subject})`;
  if (changes.length === 0) return `No entry from before ${change} has any of these comparisons.`;
  const same = changes.length === sinceBefore.length && changes.every((each, i) => each.run === sinceBefore[i].run);
  if (same) return `The newest from before ${change} is that same entry.`;
  return changeTable(`Since the newest entry from before ${change}`, run, changes);
}
