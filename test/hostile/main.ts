import { parseArgs } from 'node:util';
import { type Waits, waitsBeside } from './beside.ts';
import { type Memory, serveHostileWorker } from './serve.ts';
import { storm } from './storm.ts';

// `npm run tool -- hostile --seconds 60 --rate 10000`: mutated frames beside a client that behaves, against workerd, and then how long its
// calls wait beside each kind of load that the limits allow; `--seconds 0` leaves out the mutated frames.

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '10000' },
    seed: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
await using worker = await serveHostileWorker();
if (Number(values.seconds) > 0) await runStorm();
console.table(Object.fromEntries((await waitsBeside(worker)).map((waits) => [waits.load, rowOf(waits)])));

async function runStorm(): Promise<void> {
  console.log(`Mutated frames with seed ${seed}`);
  const report = await storm(worker, {
    seed,
    seconds: Number(values.seconds),
    rate: Number(values.rate),
    onTenth: (tenth) =>
      console.log(
        `${tenth.rate.toFixed(0)} frames/s; workerd ${megabytes(tenth.residentBytes)} MB; beside it ${tenth.calls} calls,`,
        `median ${tenth.medianMs.toFixed(1)} ms, p99 ${tenth.p99Ms.toFixed(1)} ms, longest ${tenth.longestMs.toFixed(1)} ms`,
        tenth.wrong.length === 0 ? '' : `\nWRONG: ${tenth.wrong.join('\n')}`,
      ),
  });
  const { frames, seconds, begin, end, closes, tenths } = report;
  console.log(`${frames} frames in ${seconds.toFixed(1)} s: ${(frames / seconds).toFixed(0)} a second`);
  console.log(`closed by the server, by code: ${JSON.stringify(closes)}`);
  console.table({ begin: described(begin), end: described(end) });
  const wrong = tenths.flatMap((tenth) => tenth.wrong);
  console.log(wrong.length === 0 ? 'The client that behaves was served and correct.' : wrong.join('\n'));
  if (wrong.length > 0) process.exitCode = 1;
}

function rowOf({ tookMs, calls, medianMs, longestMs, longestAloneMs, answer, wrong }: Waits): Record<string, string> {
  if (wrong.length > 0) process.exitCode = 1;
  return {
    'took, ms': tookMs.toFixed(0),
    'calls beside it': String(calls),
    'median, ms': medianMs.toFixed(1),
    'longest, ms': longestMs.toFixed(0),
    'longest alone, ms': longestAloneMs.toFixed(0),
    answer: [answer, ...wrong].join('; '),
  };
}

function described({ residentBytes, heapBytes }: Memory): Record<string, string> {
  return { 'resident, MB': megabytes(residentBytes), 'heap after collection, MB': megabytes(heapBytes) };
}
