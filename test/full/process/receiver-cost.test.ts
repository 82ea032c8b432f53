import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveHostileWorker } from '../../hostile/serve.ts';
import { KINDS } from '../../receiver-cost/kinds.ts';
import { measureCost } from '../../receiver-cost/measure.ts';
import { boundsOf, costTable, tooDear } from '../../receiver-cost/table.ts';
import { partOf } from '../../support/generated-part.ts';
import { projectFolder } from '../../support/serve-counter.ts';
import type { ServedWorker } from '../../support/workerd.ts';

/** Of all kinds, which `npm run tool -- cost` measures, those whose cost was once a hundred times as high, and of the others the dearest. */
const WORST: readonly (readonly [name: string, bytes: number])[] = [
  ['Headers', 200_000],
  ['a list of undefined with one result in it', 1_000_000],
  ['a text that arguments hold often, of an exactly-once call', 1_000_000],
  ['signals that are aborted', 500_000],
  ['calls, each of a frame, while another runs', 200_000],
  ['brackets', 1_000_000],
  ['one chain of calls', 500_000],
  ['a recorded callback of one large constant', 1_000_000],
  ['frames that are sent again', 500_000],
  ['steps that are kept: Maps', 1_000_000],
  ['results that are not read', 1_000_000],
];

let worker: ServedWorker;
beforeAll(async () => {
  worker = await serveHostileWorker();
});
afterAll(() => worker?.[Symbol.asyncDispose]());

// Memory is read as Linux tells it.
test.skipIf(process.platform !== 'linux').each(WORST)(
  'costs no more memory than its bound: %s',
  { timeout: 60_000 },
  async (name, bytes) => {
    const kind = KINDS.find((each) => each.name === name)!;
    const cost = await measureCost(worker, kind, bytes);
    expect(cost.sent).toBeGreaterThan(0);
    expect(tooDear([[kind, cost]])).toEqual([]);
  },
);

test('the table of what input costs has all kinds and bounds: npm run tool -- cost writes it', () => {
  const document = readFileSync(join(projectFolder, 'docs/internals/input-costs.md'), 'utf8');
  const table = costTable(KINDS.map((kind) => [kind, { sent: 1, memory: 1, ms: 1, closed: undefined }]));
  expect(boundsOf(partOf(document, 'cost'))).toEqual(boundsOf(table));
});
