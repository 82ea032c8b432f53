// npm run measure -- [--family <name>] [--title …] [--description …] [--allow-dirty] [--no-log]
import { parseArgs } from 'node:util';
import { chosenOr, exitOnSignals } from './command-line.ts';
import { readGitState } from './environment.ts';
import { FAMILIES, familiesFor } from './families/all.ts';
import { showFunctions } from './families/profile/functions.ts';
import { measure } from './measure.ts';
import { assertLoggable, logRun, terminalReport } from './report/log.ts';
import { refreshReport } from './report/report.ts';

const families = [...FAMILIES.values()].map(({ name, about }) => `      ${name.padEnd(12)} ${about}`);
const USAGE = `npm run measure -- [options]

  Measures everything, in about a quarter of an hour, and adds an entry to MEASUREMENTS.md.

  --family <name>       a part of it, in more time than it has there; once or several times:
${families.join('\n')}
  --subject <name>      lumenize, capnweb, raw, …; of values a codec: lumenize, JSON, cbor-x, …; once or several times
  --host <place>        workerd or wrangler-dev; of values, node or workerd
  --url <address>       none of these families, but calls to the Worker of this repository that was deployed there
  --since <commit>      none of these families, but the counter's calls through this code and through that of the commit,
                        which is what a change is measured with; with --family events, events in place of calls
  --payload <name>      of values: rows-200, tree, bytes-1MiB, …
  --workload <name>     of profile: getValue, one-turn-100, chain-3, …; once or several times
  --top <count>         of profile: no entry, but as many of each side's functions, those that take most
  --title <text>        title of the entry (default: the last commit's subject)
  --description <text>  what changed since the entry before
  --allow-dirty         log a tree that differs from its commit too, marked as such
  --no-log              print the tables only
`;

exitOnSignals();

const values = await chosenOr(
  USAGE,
  () =>
    parseArgs({
      options: {
        family: { type: 'string', multiple: true },
        subject: { type: 'string', multiple: true },
        host: { type: 'string', multiple: true },
        payload: { type: 'string', multiple: true },
        workload: { type: 'string', multiple: true },
        top: { type: 'string' },
        url: { type: 'string' },
        since: { type: 'string' },
        title: { type: 'string' },
        description: { type: 'string' },
        'allow-dirty': { type: 'boolean', default: false },
        'no-log': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values,
);

if (values.help) {
  process.stdout.write(USAGE);
} else {
  const { family: names, subject: subjects, host: hosts, payload: payloads, workload: workloads, url, since } = values;
  const functions = values.top !== undefined;
  const wanted = { subjects, hosts, payloads, workloads, functions };
  const logs = !values['no-log'] && !functions;
  const measured = await chosenOr(USAGE, async () => {
    const families = await familiesFor({ ...wanted, names, url, since });
    if (functions && !(Number(values.top) > 0)) throw new Error('--top takes a number above 0');
    // Checked before the run, which takes minutes, and not after it.
    if (logs) assertLoggable(readGitState(), values['allow-dirty']);
    return families;
  });
  const full = [names, url, since].every((each) => each === undefined);
  const profile = full ? 'full' : measured.map(({ name }) => name).join(', ');
  const finished = await measure(profile, measured, full ? 'whole' : 'alone', wanted);
  if (functions) showFunctions(finished.record, Number(values.top));
  else process.stdout.write(`${terminalReport(finished.record)}\n`);
  if (logs) {
    const { log, file } = logRun(finished, { ...values, allowDirty: values['allow-dirty'] });
    await refreshReport();
    process.stdout.write(`\nAppended to ${log}; all figures in ${file}; the charts are drawn anew\n`);
  }
}
