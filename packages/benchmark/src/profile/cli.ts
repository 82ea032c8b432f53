// npm run profile -- [--workload getValue] [--subject lumenize] [--top 25]
import { parseArgs } from 'node:util';
import { expectOneOf } from '../blocks/selection.ts';
import { chosenOr, exitOnSignals } from '../command-line.ts';
import { showProgress } from '../progress.ts';
import { cellsOf, PROFILED } from './cells.ts';
import { profileEntry } from './entry.ts';
import { functionCosts, gatherProfiles } from './results.ts';
import { runProfile } from './run-profile.ts';
import { functionTables } from './tables.ts';
import { WORKLOADS } from './workloads.ts';

const NAMES = WORKLOADS.map(({ name }) => name);
const USAGE = `npm run profile -- [options]

  Lists the functions in which calls spend their time, on both sides; docs/profile.md says how to read it.

  --workload <name>   ${NAMES.join(', ')}; once or several times (default: all)
  --subject <name>    ${PROFILED.join(', ')}; once or several times (default: lumenize)
  --top <count>       functions of each side (default: 25)
  --seconds <count>   time under the profiler in each of two launches (default: 3)
`;

exitOnSignals();

const chosen = <Choice>(choose: () => Choice) => chosenOr(USAGE, choose);

const values = chosen(
  () =>
    parseArgs({
      options: {
        workload: { type: 'string', multiple: true },
        subject: { type: 'string', multiple: true, default: ['lumenize'] },
        top: { type: 'string', default: '25' },
        seconds: { type: 'string', default: '3' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values,
);

if (values.help) process.stdout.write(USAGE);
else await profile();

async function profile(): Promise<void> {
  const { cells, top, seconds } = chosen(() => {
    for (const workload of values.workload ?? []) expectOneOf('workload', workload, NAMES);
    for (const subject of values.subject) expectOneOf('subject', subject, PROFILED);
    return {
      cells: cellsOf(values.workload, values.subject),
      top: positive('--top', values.top),
      seconds: positive('--seconds', values.seconds),
    };
  });
  const times = { warmUpMs: 500, plainMs: 500, profiledMs: 1000 * seconds };
  const run = { cells, times, launches: 2, budgetMs: Number.POSITIVE_INFINITY, countWire: NAMES };
  const reports = await runProfile(run, Math.floor(Date.now() / 1000) % 1_000_000, showProgress());
  const { results } = profileEntry({ results: gatherProfiles(reports), comparisons: [], launches: [] });
  process.stdout.write(`${results}\n\n${functionTables(functionCosts(reports), top)}\n`);
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${option} takes a number above 0`);
  return value;
}
