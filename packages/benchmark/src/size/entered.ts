// Makes reads in memory, and prints as JSON which functions of the packages each of them enters, on either side.
import { Session } from 'node:inspector/promises';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';

/** A function that every read enters: its name, and its file from the root of the repository. */
export interface Entered {
  readonly name: string;
  readonly file: string;
}

class Counter extends RpcTarget {
  getValue(): number {
    return 1;
  }
}

/** The reads that are made before any is counted, and that are counted: what happens now and then is not of every read. */
const READS = 100;
/** Carries frames in place of a socket. */
const CARRIES = '/transport/';

const stub = connectInMemory(new Counter());
const session = new Session();
const read = async () => {
  for (let i = 0; i < READS; i++) await stub.getValue();
};
await read();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await read();
await session.post('Profiler.takePreciseCoverage');
await read();
const { result } = await session.post('Profiler.takePreciseCoverage');
const entered = result.flatMap(({ url, functions }) => {
  const [, file = CARRIES] = /\/(packages\/(?:rpc|structured-clone)\/src\/.+)$/.exec(url) ?? [];
  return functions.flatMap(({ functionName: name, ranges: [{ count }] }): Entered[] =>
    count < READS || file.includes(CARRIES) ? [] : [{ name, file }],
  );
});
process.stdout.write(JSON.stringify(entered));
process.exit();
