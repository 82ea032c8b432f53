import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serveHostileWorker } from '../hostile/serve.ts';
import { withPart } from '../support/generated-part.ts';
import type { CostKind } from './kind.ts';
import { KINDS } from './kinds.ts';
import { type Cost, measureCost } from './measure.ts';
import { costTable, tooDear } from './table.ts';

// `npm run tool -- cost`: what each kind of input costs workerd. With `--only text` of those with that in their names, and nothing is written.

const DOCUMENT = fileURLToPath(new URL('../../docs/internals/input-costs.md', import.meta.url).href);

const { values } = parseArgs({ options: { only: { type: 'string' }, bytes: { type: 'string', default: '1000000' } } });
const costs: [CostKind, Cost][] = [];
await using worker = await serveHostileWorker();
for (const kind of KINDS) {
  if (!`${kind.group}: ${kind.name}`.includes(values.only ?? '')) continue;
  const cost = await measureCost(worker, kind, Number(values.bytes));
  costs.push([kind, cost]);
  const { sent, memory, ms, closed } = cost;
  const parts = [
    `${kind.group}: ${kind.name}`.padEnd(70),
    `${(sent / 1e6).toFixed(2).padStart(7)} MB sent,`,
    `${(memory / 1e6).toFixed(1).padStart(6)} MB, × ${(memory / sent).toFixed(0).padStart(5)},`,
    `${((ms / sent) * 1e6).toFixed(0).padStart(6)} ms/MB`,
    closed === undefined ? '' : `closed with ${closed}`,
  ];
  console.log(parts.join(' '));
}
const wrong = tooDear(costs);
if (wrong.length > 0) {
  console.error(`More than it may:\n${wrong.join('\n')}`);
  process.exitCode = 1;
} else if (values.only === undefined) {
  await writeFile(DOCUMENT, withPart(await readFile(DOCUMENT, 'utf8'), 'cost', costTable(costs)));
  console.log(`Wrote ${DOCUMENT}`);
}
