import { parseArgs } from 'node:util';
import { FAULTS } from './faults.ts';
import { describeReport } from './report.ts';
import { runChaos } from './run-chaos.ts';
import { EVENTS } from './weather.ts';

// npm run tool -- chaos --seed 7 --minutes 10: runs clients and a server while connections, processes and disks fail.

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    minutes: { type: 'string', default: '2' },
    calls: { type: 'string', default: 'Infinity' },
    clients: { type: 'string', default: '50' },
    followers: { type: 'string', default: '3' },
    events: { type: 'string' },
    'calls-per-turn': { type: 'string', default: '50' },
    'calm-ms': { type: 'string', default: '8000' },
    faults: { type: 'string' },
    broken: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const begin = performance.now();
const seconds = () => ((performance.now() - begin) / 1000).toFixed();
console.log(`chaos with seed ${seed}`);
const report = await runChaos({
  seed,
  clients: Number(values.clients),
  followers: Number(values.followers),
  possible: namesIn(values.events, EVENTS),
  longestMs: Number(values.minutes) * 60_000,
  mostCalls: Number(values.calls),
  mostCallsPerTurn: Number(values['calls-per-turn']),
  longestCalmMs: Number(values['calm-ms']) || undefined,
  faults: namesIn(values.faults, FAULTS),
  canFill: true,
  broken: values.broken,
  onProgress: (calls) => process.stdout.isTTY && process.stdout.write(`\r${calls} calls after ${seconds()} s`),
});
console.log(`\n${report.calls.length} calls in ${seconds()} s\n\n${describeReport(report)}`);
process.exitCode = report.wrong.length === 0 ? 0 : 1;

/** Reads a list such as `cut,stall`. `none` is an empty list. */
function namesIn<Name extends string>(text: string | undefined, known: readonly Name[]): readonly Name[] | undefined {
  if (text === undefined) return undefined;
  if (text === 'none') return [];
  return text.split(',').map((name) => {
    const found = known.find((each) => each === name);
    if (found === undefined) throw new Error(`there is no "${name}": say none, or some of ${known.join(',')}`);
    return found;
  });
}
