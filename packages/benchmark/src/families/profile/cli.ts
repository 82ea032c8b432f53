// npm run profile -- [--workload getValue] [--subject lumenize] [--top 25]
import { parseArgs } from 'node:util';
import { chosenOr, exitOnSignals, showProgress } from '../../command-line.ts';
import { expectOneOf, measurePlan } from '../../engine/measure.ts';
import { PROFILE, PROFILED, profilePlan } from './profile.ts';
import type { Cell, FunctionCost } from './tasks.ts';
import { WORKLOADS } from './tasks.ts';

const NAMES = Object.keys(WORKLOADS);
const USAGE = `npm run profile -- [options]

  Shows in which sources and functions calls spend their time, on both sides; docs/profile.md says how to read it.

  --workload <name>   ${NAMES.join(', ')}; once or several times (default: all)
  --subject <name>    ${PROFILED.join(', ')}; once or several times (default: lumenize)
  --top <count>       functions of each side (default: 25)
`;
const AMOUNTS = { launches: 1, budgetMs: 0, warmUpMs: 500, plainMs: 1000, profiledMs: 6000, countWire: [] };

exitOnSignals();

const { workload, subject, top, help } = await chosenOr(USAGE, () => {
  const { values } = parseArgs({
    options: {
      workload: { type: 'string', multiple: true, default: NAMES },
      subject: { type: 'string', multiple: true, default: ['lumenize'] },
      top: { type: 'string', default: '25' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  for (const each of values.workload) expectOneOf('workload', each, NAMES);
  for (const each of values.subject) expectOneOf('subject', each, PROFILED);
  if (!(Number(values.top) > 0)) throw new Error('--top takes a number above 0');
  return values;
});

if (help) {
  process.stdout.write(USAGE);
} else {
  const plan = profilePlan({ ...AMOUNTS, functions: true }, workload, subject);
  const { rows, extras } = await measurePlan(PROFILE, plan, { seed: Date.now() % 1_000_000, progress: showProgress() });
  for (const { scenario, subject, value = 0, detail = {}, cannot } of rows) {
    const us = `${value.toFixed(1)} µs of ${detail.roundTripUs?.toFixed(1)} without a profiler; by place, of a call`;
    process.stdout.write(`\n${scenario}, ${subject}: ${cannot ?? us}\n`);
    const places = Object.entries(detail).filter(([name]) => name.includes(' '));
    if (cannot === undefined) show(places.map(([place, self]) => ({ self, place })));
  }
  const costs = Map.groupBy(
    extras.flat() as (Cell & FunctionCost)[],
    (of) => `${of.workload}, ${of.subject}, ${of.side}`,
  );
  for (const [cell, functions] of costs) {
    process.stdout.write(`\n${cell}: µs of a call, of the function itself and in all\n`);
    show(functions.map(({ self, total, name, place }) => ({ self, total, name, place })));
  }
}

/** Shows the rows that take most. */
function show(rows: readonly { readonly self: number }[]): void {
  const shown = rows.toSorted((a, b) => b.self - a.self).slice(0, Number(top));
  const rounded = (_name: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(3)) : value);
  console.table(JSON.parse(JSON.stringify(shown, rounded)));
}
