import { parseArgs } from 'node:util';
import { garbageCollector } from '@lumenize/hosts/garbage-collector';
import { connect } from '@lumenize/rpc';
import { serveTestWorker } from '../support/workerd.ts';
import { soak } from './soak.ts';

// `npm run tool -- soak --calls 1000000`: a soak of a Worker in workerd, with what was found as it goes.

const { values } = parseArgs({ options: { calls: { type: 'string', default: '1000000' } } });
const calls = Number(values.calls);
await using worker = await serveTestWorker();
using stub = connect(worker.url('/rpc/soak/main'));
const begin = Date.now();
const report = await soak(stub, {
  calls,
  samples: 10,
  collect: garbageCollector(),
  onProgress: (made) => process.stdout.isTTY && process.stdout.write(`\r${made} of ${calls} calls`),
});
const megabytes = report.heapBytes.map((bytes) => (bytes / 1e6).toFixed(1));
console.log(`\n${report.calls} calls in ${((Date.now() - begin) / 1000).toFixed(0)} s, all answered as they should be`);
console.log(`the client's heap in MB, after collections: ${megabytes.join(' ')}`);
console.table({ client: report.client, server: report.server });
