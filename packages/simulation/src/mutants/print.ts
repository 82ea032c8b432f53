import cliProgress from 'cli-progress';
import Table from 'cli-table3';
import type { Report, Result } from './run.ts';
import { nameOf, type Unit } from './units.ts';

/** The share of defects that must be found. */
export const WANTED_SHARE = 0.97;

/** Prints which defects were found and which were not. Returns whether enough were found. */
export function printReport({ results, failsAnyway, ms }: Report): boolean {
  const found = results.filter((result) => result.found !== undefined);
  console.log(tableOf(['area', 'defect', 'after', 'by', 'because'], found.map(rowOfFound)));
  const survivors = results.filter((result) => result.found === undefined);
  if (survivors.length > 0) {
    console.log('\nNot found:');
    const rows = survivors.map((result) => [result.area, result.mutant.name, result.runs, reasonOf(result)]);
    console.log(tableOf(['area', 'defect', 'after', 'reason'], rows));
  }
  const share = found.length / results.length;
  const runs = results.reduce((sum, result) => sum + result.runs, 0);
  const percent = (100 * share).toFixed(1);
  console.log(
    `\n${found.length} of ${results.length} defects found (${percent} %), by ${runs} runs in ${Math.round(ms / 1000)} s.`,
  );
  const few = [...failsAnyway].slice(0, MOST_SHOWN).map((unit) => nameOf(JSON.parse(unit) as Unit));
  console.log(
    `Runs that fail without a defect, too: ${failsAnyway.size}${few.length > 0 ? `: ${few.join(', ')}` : ''}.`,
  );
  return share >= WANTED_SHARE && failsAnyway.size === 0;
}

const MOST_SHOWN = 20;

/** Returns why a defect was not found. If the time was over before its turn, that is not known. */
function reasonOf({ mutant, runs }: Result): string {
  return mutant.unfound ?? (runs === 0 ? 'not looked for: the time was over' : 'not known');
}

function rowOfFound({ area, mutant, runs, found }: Result): (string | number)[] {
  const { unit, wrong } = found!;
  return [area, mutant.name, runs, nameOf(unit), wrong.replaceAll(/\s+/g, ' ').slice(0, CHECK_LENGTH)];
}

const CHECK_LENGTH = 100;

/** A style of tables with spaces between columns and no lines between rows. */
const PLAIN = {
  chars: Object.fromEntries(
    ['top', 'bottom', 'left', 'right', 'mid', 'left-mid', 'mid-mid', 'right-mid', 'top-mid', 'top-left', 'top-right']
      .concat(['bottom-mid', 'bottom-left', 'bottom-right', 'middle'])
      .map((name) => [name, name === 'middle' ? ' ' : '']),
  ),
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 1 },
};

function tableOf(head: string[], rows: readonly (string | number)[][]): string {
  const table = new Table({ ...PLAIN, head });
  table.push(...rows);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Shows the progress of the search: a bar in a terminal, or else an occasional line. */
export function showProgress(): { update(found: number, total: number, doing: string): void; stop(): void } {
  if (process.stderr.isTTY) {
    const format = '{bar} {value} of {total} found | {duration_formatted} | {doing}';
    const bar = new cliProgress.SingleBar({ format, clearOnComplete: true }, cliProgress.Presets.shades_classic);
    bar.start(1, 0, { doing: 'starting' });
    return {
      update(found, total, doing) {
        bar.setTotal(total);
        bar.update(found, { doing });
      },
      stop: () => bar.stop(),
    };
  }
  let told = 0;
  return {
    update(found, total, doing) {
      if (performance.now() - told < LINE_EVERY_MS) return;
      told = performance.now();
      process.stderr.write(`${found} of ${total} found; ${doing}\n`);
    },
    stop() {},
  };
}

const LINE_EVERY_MS = 10_000;
