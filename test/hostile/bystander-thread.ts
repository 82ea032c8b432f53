import { isDeepStrictEqual } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { connect } from '@lumenize/rpc';
import type { Seen } from './bystander.ts';
import type { VictimTarget } from './victim-target.ts';

const stub = connect<VictimTarget>(workerData as string);
let times: number[] = [];
let wrong: string[] = [];
let calls = 0;

/** Makes a call, checks what it returns and takes its time. */
async function check(name: string, expected: unknown, call: () => PromiseLike<unknown>): Promise<void> {
  const start = performance.now();
  let result: unknown;
  try {
    result = await call();
  } catch (error) {
    result = error;
  }
  times.push(performance.now() - start);
  calls++;
  if (!isDeepStrictEqual(result, expected) && wrong.length < 10) wrong.push(`${name}: ${String(result)}`);
}

async function behave(): Promise<never> {
  for (let n = 0; ; n++) {
    const value = {
      n,
      map: new Map([[n, new Date(n)]]),
      set: new Set(['constructor', '__proto__']),
      bytes: new Uint8Array(9),
    };
    await check('add', n + 2, () => stub.add(n, 2));
    await check('echo', value, () => stub.echo(value));
    await check('a chain', n + 1, () => stub.self().add(n, 1));
    await check('a later one', n, () => stub.echoLater(n));
    await check('a callback', n, () => stub.ask(async () => n));
    await check('an error', new RangeError('as it should'), () =>
      stub.fails().catch((error: Error) => new RangeError(error.message)),
    );
  }
}

parentPort!.on('message', async () => {
  const sorted = times.sort((a, b) => a - b);
  const seen: Seen = {
    calls,
    wrong,
    longestMs: sorted.at(-1) ?? 0,
    medianMs: sorted[sorted.length >> 1] ?? 0,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    received: await stub.received,
  };
  times = [];
  wrong = [];
  calls = 0;
  parentPort!.postMessage(seen);
});
behave();
