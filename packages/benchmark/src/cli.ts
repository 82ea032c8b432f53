// npm run measure -- [--family <name>] [--title …] [--description …] [--allow-dirty] [--no-log]
import { parseArgs } from 'node:util';
import { readGitState } from './environment/git.ts';
import { familyProfile } from './family-profiles.ts';
import { assertLoggable } from './log/assert-loggable.ts';
import { terminalReport } from './log/terminal-report.ts';
import { valuesReport } from './log/values-report.ts';
import { logRun, measure, measureValues } from './measure.ts';
import { SHORT } from './profiles.ts';
import { valuesProfile } from './values/profile.ts';

const USAGE = `npm run measure -- [options]

  --family <name>       calls (default); pipeline: what builds on other calls; transports: everything that carries
                        calls, large values, streams; events: to 1, 100 and 1000 subscribers; values:
                        codecs alone
  --title <text>        title of the entry in MEASUREMENTS.md (default: the last commit's subject)
  --description <text>  what changed since the entry before
  --allow-dirty         log a tree that differs from its commit too, marked as such
  --no-log              print the tables only

Of a family other than calls, a part of it, named once or several times:

  --subject <name>      lumenize, capnweb, capnweb-http, …; of values a codec: lumenize, JSON, cbor-x, …
  --host <place>        workerd or wrangler-dev; of values, node or workerd
  --payload <name>      of values: rows-200, tree, bytes-1MiB, …
`;

const { values } = parseArgs({
  options: {
    family: { type: 'string', default: 'calls' },
    subject: { type: 'string', multiple: true },
    host: { type: 'string', multiple: true },
    payload: { type: 'string', multiple: true },
    title: { type: 'string' },
    description: { type: 'string' },
    'allow-dirty': { type: 'boolean', default: false },
    'no-log': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

// Ends by way of `exit`, so that what a run has made is removed; servers end by themselves with this process.
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

if (values.help) {
  process.stdout.write(USAGE);
} else {
  // Before the minutes that a run takes, and not after them.
  if (!values['no-log']) chosen(() => assertLoggable(readGitState(), values['allow-dirty']));
  const { finished, report } = await measureFamily(values.family);
  process.stdout.write(`${report}\n`);
  if (!values['no-log']) {
    const { log, file } = logRun(finished, { ...values, allowDirty: values['allow-dirty'] });
    process.stdout.write(`\nAppended to ${log}; all figures in ${file}\n`);
  }
}

async function measureFamily(family: string) {
  const { subject: subjects, host: hosts, payload: payloads } = values;
  switch (family) {
    case 'calls': {
      if (subjects || hosts || payloads) fail('--subject, --host and --payload are for the other families');
      const finished = await measure(SHORT);
      return { finished, report: terminalReport(finished.record) };
    }
    case 'pipeline':
    case 'transports':
    case 'events': {
      if (payloads) fail('--payload is for --family values');
      const finished = await measure(chosen(() => familyProfile(family, { subjects, hosts })));
      return { finished, report: terminalReport(finished.record) };
    }
    case 'values': {
      const selection = { codecs: subjects, hosts, payloads };
      const finished = await measureValues(chosen(() => valuesProfile(selection)));
      return { finished, report: valuesReport(finished.record) };
    }
    default:
      return fail(`there is no family ${family}`);
  }
}

/** Returns what `choose` does; what it throws is told with how the command is used. */
function chosen<Choice>(choose: () => Choice): Choice {
  try {
    return choose();
  } catch (error) {
    return fail((error as Error).message);
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
}
