// npm run measure -- [--family values] [--title …] [--description …] [--no-log]
import { parseArgs } from 'node:util';
import { terminalReport } from './log/terminal-report.ts';
import { valuesReport } from './log/values-report.ts';
import { logRun, measure, measureValues } from './measure.ts';
import { SHORT } from './profiles.ts';
import { type Selection, type ValuesProfile, valuesProfile } from './values/profile.ts';

const USAGE = `npm run measure -- [options]

  --family <name>       calls (default) or values: codecs alone
  --title <text>        title of the entry in MEASUREMENTS.md (default: the last commit's subject)
  --description <text>  what changed since the entry before
  --no-log              print the tables only

Of the family values, a part of it, named once or several times:

  --subject <codec>     lumenize, JSON, cbor-x, …
  --host <place>        node or workerd
  --payload <name>      rows-200, tree, bytes-1MiB, …
`;

const { values } = parseArgs({
  options: {
    family: { type: 'string', default: 'calls' },
    subject: { type: 'string', multiple: true },
    host: { type: 'string', multiple: true },
    payload: { type: 'string', multiple: true },
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
  const { finished, report } = await measureFamily(values.family);
  process.stdout.write(`${report}\n`);
  if (!values['no-log']) {
    const { log, file } = logRun(finished, values);
    process.stdout.write(`\nAppended to ${log}; all figures in ${file}\n`);
  }
}

async function measureFamily(family: string) {
  const { subject: codecs, host: hosts, payload: payloads } = values;
  switch (family) {
    case 'calls': {
      if (codecs || hosts || payloads) fail('--subject, --host and --payload are for --family values');
      const finished = await measure(SHORT);
      return { finished, report: terminalReport(finished.record) };
    }
    case 'values': {
      const finished = await measureValues(profileOf({ codecs, hosts, payloads }));
      return { finished, report: valuesReport(finished.record) };
    }
    default:
      return fail(`there is no family ${family}`);
  }
}

function profileOf(selection: Selection): ValuesProfile {
  try {
    return valuesProfile(selection);
  } catch (error) {
    return fail((error as Error).message);
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
}
