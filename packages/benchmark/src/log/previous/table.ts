import type { Environment } from '../../environment/machine.ts';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { interval, list, ratio } from '../format.ts';
import { HOST_NAMES } from '../names.ts';
import type { Change } from './changes.ts';

const VERSIONS = ['node', 'workerd', 'wrangler', 'capnweb'] as const satisfies readonly (keyof Environment)[];

/** Changes as a markdown table of those with a verdict, gains and losses alike, and a sentence on the others. */
export function changeTable(title: string, run: RecordedRun, changes: readonly Change[]): string {
  const runs = [...new Set(changes.map((change) => change.run))];
  const told = changes.filter(({ verdict }) => verdict === 'faster' || verdict === 'slower');
  const head = ['host', 'scenario', 'comparison', 'then', 'now', 'change', 'verdict'];
  const rows = told.map((change) => cells(change, runs.length > 1));
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  return [
    `**${title}**, ${list(runs.map(entryName))}: ${summary(changes)}`,
    ...(told.length > 0 ? [lines.join('\n')] : []),
    ...versions(run, runs),
  ].join('\n\n');
}

function summary(changes: readonly Change[]): string {
  const count = (verdict: Change['verdict']) => changes.filter((change) => change.verdict === verdict).length;
  const parts = [
    `${count('faster')} faster than then`,
    `${count('slower')} slower`,
    `no difference shown in ${count('no difference shown')}`,
    `no conclusion in ${count('no conclusion')}`,
  ];
  return `of ${changes.length} comparisons ${parts.join(', ')}.`;
}

function cells({ now, then, run, ratio: value, ci95, verdict }: Change, withRun: boolean): string[] {
  return [
    HOST_NAMES[now.host],
    now.scenario,
    `${now.subject} / ${now.baseline}`,
    `${ratio(then.ratio)} (${interval(then.ci95)})${withRun ? ` at ${run.commit}` : ''}`,
    `${ratio(now.ratio)} (${interval(now.ci95)})`,
    `${ratio(value)} (${interval(ci95)})`,
    verdict,
  ];
}

function entryName({ takenAt, commit }: RecordedRun): string {
  return `${takenAt.slice(0, 19).replace('T', ' ')} (${commit})`;
}

/** What else is not as it was: a newer baseline may have become slower, rather than the subject faster. */
function versions({ environment: now }: RecordedRun, earlier: readonly RecordedRun[]): string[] {
  const changed = VERSIONS.flatMap((name) => {
    const then = new Set(earlier.map(({ environment }) => environment[name]).filter((each) => each !== now[name]));
    return then.size > 0 ? [`${name} ${list([...then])} → ${now[name]}`] : [];
  });
  return changed.length > 0 ? [`Versions have changed too: ${changed.join('; ')}.`] : [];
}
