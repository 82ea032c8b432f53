// npm run report: draws the charts and the page of measurements/charts from the files in measurements/, and writes the tables of
// README.md and docs/benchmarks.md.
import { refreshReport } from './refresh-report.ts';
import { DIRECTORY } from './report.ts';

const files = await refreshReport();
process.stdout.write(files.length > 0 ? `Wrote ${files.join(', ')} to ${DIRECTORY}\n` : 'There is no run to draw\n');
