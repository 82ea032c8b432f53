// npm run report: draws the charts and the page of measurements/charts from the files in measurements/.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.ts';
import { readShortRuns } from './read-runs.ts';
import { CHARTS, reportOf } from './report.ts';

const files = await reportOf(readShortRuns(join(ROOT, 'measurements')));
const directory = join(ROOT, CHARTS);
rmSync(directory, { recursive: true, force: true });
mkdirSync(directory, { recursive: true });
for (const [name, content] of files) writeFileSync(join(directory, name), content);
process.stdout.write(`Wrote ${[...files.keys()].join(', ')} to ${CHARTS}\n`);
