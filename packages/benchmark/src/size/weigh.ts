// npm run weigh: what the library weighs, against its budgets.
import Table from 'cli-table3';
import { house } from './house.ts';

const table = new Table({
  head: ['', 'must', 'aim', '2026-11-28', 'now', 'now / must'],
  colAligns: ['left', 'right', 'right', 'right', 'right', 'right'],
  style: { head: [], border: [] },
});
const shown = (value?: number) => value?.toLocaleString('en') ?? '–';
for (const { what, must, aim, before, now } of await house()) {
  table.push([what, shown(must), shown(aim), shown(before), shown(now), (now / must).toFixed(2)]);
}
process.stdout.write(`${table}\nBundles in bytes, minified and after gzip. Everything is from the sources.\n`);
