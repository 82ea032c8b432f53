// npm run measure -- [--family <name>] [--title …] [--description …] [--allow-dirty] [--no-log]
import { parseArgs } from 'node:util';
import { chosenOr, exitOnSignals } from './command-line.ts';
import { expectOneOf } from './engine/measure.ts';
import type { Family } from './engine/plan.ts';
import { readGitState } from './environment.ts';
import { FAMILIES, familiesFor } from './families/all.ts';
import { COMPARABLE_FAMILIES, changeFamily } from './families/change.ts';
import { deployedFamily } from './families/deployed.ts';
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
  const { family: names, subject: subjects, host: hosts, payload: payloads, workload: workloads } = values;
  const functions = values.top !== undefined;
  const logs = !values['no-log'] && !functions;
  const measured = await chosenOr(USAGE, async () => {
    const families = await familiesWanted();
    if ((workloads || functions) && names?.join() !== 'profile')
      throw new Error('--workload and --top go with --family profile');
    if (functions && !(Number(values.top) > 0)) throw new Error('--top takes a number above 0');
    // Before the minutes that a run takes, and not after them.
    if (logs) assertLoggable(readGitState(), values['allow-dirty']);
    return families;
  });
  const full = [names, values.url, values.since].every((each) => each === undefined);
  const profile = full ? 'full' : measured.map(({ name }) => name).join(', ');
  const finished = await measure(profile, measured, full ? 'whole' : 'alone', {
    subjects,
    hosts,
    payloads,
    workloads,
    functions,
  });
  if (functions) showFunctions(finished.record, Number(values.top));
  else process.stdout.write(`${terminalReport(finished.record)}\n`);
  if (logs) {
    const { log, file } = logRun(finished, { ...values, allowDirty: values['allow-dirty'] });
    await refreshReport();
    process.stdout.write(`\nAppended to ${log}; all figures in ${file}; the charts are drawn anew\n`);
  }
}

async function familiesWanted(): Promise<Family[]> {
  const { family, subject: subjects, host: hosts, payload: payloads, url, since } = values;
  if (url !== undefined) {
    if (family ?? hosts ?? payloads ?? since)
      throw new Error('--url goes with --subject, and with no family, host, payload or commit');
    return [await deployedFamily(url, subjects)];
  }
  if (since === undefined) return familiesFor(family, { subjects, hosts, payloads });
  if (subjects ?? hosts ?? payloads) throw new Error('--since goes with no subject, host or payload');
  const [of = 'counter', ...others] = family ?? [];
  if (others.length > 0) throw new Error('--since goes with one family');
  expectOneOf('family to compare', of, COMPARABLE_FAMILIES);
  return [changeFamily(since, of)];
}
