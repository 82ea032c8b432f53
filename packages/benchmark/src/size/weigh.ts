// npm run tool -- weigh: what the library and the repository weigh, against budgets.
import Table from 'cli-table3';
import { house } from './house.ts';

const table = new Table({
  head: ['', 'must', 'aim', '2026-11-28', 'now', 'now / must'],
  colAligns: ['left', 'right', 'right', 'right', 'right', 'right'],
  style: { head: [], border: [], compact: true },
});
const shown = (value?: number) => value?.toLocaleString('en') ?? '–';
for (const { what, must, aim, before, now } of await house()) {
  const ratio = must === undefined ? '–' : (now / must).toFixed(2);
  table.push([what, shown(must), shown(aim), shown(before), shown(now), ratio]);
}
process.stdout.write(`${table}
Bundles in bytes, minified and after gzip, from the sources. Lines without those that are empty or comments. Options are the members
of exported interfaces named …Options or …Limits, with what these extend.
`);
