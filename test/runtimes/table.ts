import { escaped, table } from '../contract/table/document.ts';
import { whyItFails } from './known.ts';
import type { RuntimeResult, RuntimeRun } from './runtimes.ts';

/** A runtime that was tried, by its name. */
export interface TriedRuntime extends RuntimeRun {
  readonly name: string;
}

/** Writes the tables of what holds in which runtime, and of what does not, with its reasons. */
export function runtimesTable(tried: readonly TriedRuntime[]): string {
  const totals = tried.map(({ name, version, results }) => {
    const count = (status: string) => String(results.filter((each) => each.status === status).length);
    return [name, version, count('holds'), count('fails'), count('does not apply')];
  });
  return [
    table(['Client in', 'version', 'holds', 'does not hold', 'does not apply'], totals),
    ...reasons('What does not hold', tried, 'fails', (name, each) => whyItFails(name, each) ?? firstLine(each)),
    ...reasons('What does not apply', tried, 'does not apply', (_name, each) => each.reason!),
  ].join('\n\n');
}

/** Writes a table of the cases with a status, each with where and why. */
function reasons(
  title: string,
  tried: readonly TriedRuntime[],
  status: string,
  reasonOf: (runtime: string, result: RuntimeResult) => string,
): string[] {
  const found = tried.flatMap(({ name, results }) =>
    results
      .filter((each) => each.status === status)
      .map((each) => ({ name, case: `${each.part}: ${each.case}`, reason: reasonOf(name, each) })),
  );
  if (found.length === 0) return [];
  const rows = [...Map.groupBy(found, (each) => `${each.case}\n${each.reason}`).values()].map((same) => [
    escaped(same[0].case),
    same.map(({ name }) => name).join(', '),
    same[0].reason,
  ]);
  return [`**${title}**`, table(['', 'in', 'because'], rows)];
}

function firstLine({ reason }: RuntimeResult): string {
  return escaped(reason!.split('\n')[0]);
}
