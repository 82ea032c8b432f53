import { textTable } from '../../../../tools/text-table/text-table.ts';
import { interval, percent, ratio } from '../log/format.ts';
import { HOST_NAMES } from '../log/names.ts';
import { MARGIN, type Repeatability, type Repeated, SHARE_INSIDE } from './repeatability.ts';

/** Tells in plain text whether two runs repeat one another, and where not. */
export function repeatabilityReport({ compared, single, opposite, outside, inside, repeats }: Repeatability): string {
  const within = `${compared - outside.length} of ${compared} ratios of the second run (${percent(inside)})`;
  const paragraphs = [
    `${within} are inside the first run’s interval widened by ${percent(MARGIN)}; at least ${percent(SHARE_INSIDE)} have to be.`,
    opposite.length === 0
      ? 'No comparison is faster in one run and slower in the other.'
      : `Faster in one run and slower in the other: ${opposite.length}; none may be.\n\n${table(opposite)}`,
    ...(outside.length > 0 ? [`Outside:\n\n${table(outside)}`] : []),
    ...(single > 0 ? [`Only one of the runs has ${single} more; they are passed over.`] : []),
    repeats ? 'The runs repeat one another.' : 'The runs do not repeat one another.',
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

function table(pairs: readonly Repeated[]): string {
  const rows = pairs.map(({ first, second }) => [
    HOST_NAMES[first.host],
    first.scenario,
    `${first.subject} / ${first.baseline}`,
    ...[first, second].flatMap((each) => [`${ratio(each.ratio)} (${interval(each.ci95)})`, each.verdict]),
  ]);
  const head = ['host', 'scenario', 'comparison', 'first', 'verdict', 'second', 'verdict'];
  return textTable(head, head.length, rows);
}
