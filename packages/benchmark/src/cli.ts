// npm run measure -- [--title …] [--description …] [--no-log]
import { parseArgs } from 'node:util';
import { terminalReport } from './log/terminal-report.ts';
import { logRun, measure } from './measure.ts';
import { SHORT } from './profiles.ts';

const USAGE = `npm run measure -- [options]

  --title <text>        title of the entry in MEASUREMENTS.md (default: the last commit's subject)
  --description <text>  what changed since the entry before
  --no-log              print the tables only
`;

const { values } = parseArgs({
  options: {
    title: { type: 'string' },
    description: { type: 'string' },
    'no-log': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

// Ends by way of `exit`, so that what a run has made is removed; servers end by themselves with this process.
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

if (values.help) {
  process.stdout.write(USAGE);
} else {
  const finished = await measure(SHORT);
  process.stdout.write(`${terminalReport(finished.record)}\n`);
  if (!values['no-log']) {
    const { log, file } = logRun(finished, values);
    process.stdout.write(`\nAppended to ${log}; all figures in ${file}\n`);
  }
}
