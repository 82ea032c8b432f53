import { compareMany } from '../../src/differential/compare.ts';
import { WorkerdHost } from '../../src/workerd/workerd-host.ts';

const [seed, count] = process.argv.slice(2).map(Number);
const host = await WorkerdHost.start();
const found = await compareMany(seed, count, host, () => {});
await host[Symbol.asyncDispose]();
process.stdout.write(JSON.stringify(found.flatMap(({ differs }) => differs)), () => process.exit());
