import type { CallRecord } from './driver/history.ts';
import type { Run } from './driver/run-program.ts';
import type { Program } from './programs/program.ts';

/** Describes a run: the target, the steps and faults with their times, and the outcome. */
export function describeRun(program: Program, run: Run | undefined, wrong: readonly string[]): string {
  const { methods, ways, topics, options } = program.target;
  const lines = [
    ...methods.map((method, place) => `  m${place}: ${compact(method)}`),
    ...ways.map((way, place) => `  w${place}: ${compact(way)}`),
    ...topics.map((topic, place) => `  t${place}: ${compact(topic)}`),
    ...(Object.keys(options).length > 0 ? [`  options: ${compact(options)}`] : []),
    ...program.clients.map((client, place) => `  client ${place}: ${compact(client)}`),
    'steps:',
    ...program.steps.map(({ at, ...step }) => `  ${at} ms: ${compact(step)}`),
  ];
  if (run !== undefined) {
    lines.push('calls:', ...run.history.calls.map(describeCall));
    lines.push(
      'ledger:',
      ...run.report.rows.map(({ key, what, method, value }) => `  ${key} ${what} ${method} ${value}`),
    );
    lines.push(
      'losses:',
      ...run.history.lives.map(({ client, number, losses }) => `  client ${client}.${number}: ${losses.join(' ')}`),
    );
  }
  return [...lines, 'wrong:', ...wrong.map((each) => `  ${each}`)].join('\n');
}

function describeCall(call: CallRecord): string {
  const { key, name, life, at, settledAt, ok, told, value, items, end } = call;
  const outcome = ok === undefined ? 'pending' : ok ? 'ok' : `${told!.code ?? 'threw'}: ${told!.message}`;
  const rest =
    items.length > 0 || end !== undefined ? ` [${items}] ${typeof end === 'object' ? end.message : end}` : '';
  return `  ${key} ${name} of ${life.client}.${life.number} at ${at}${settledAt === undefined ? '' : ` to ${settledAt}`}: ${outcome} ${value ?? ''}${rest}`;
}

/** Returns a value as JSON without the properties that have their usual value. */
function compact(value: object): string {
  const entries = Object.entries(value).filter(([, each]) => each !== undefined && each !== 'none');
  return JSON.stringify(Object.fromEntries(entries)).replaceAll('"', '');
}
