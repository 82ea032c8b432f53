// Traces one call there and back, and prints as JSON which files of the packages it passes, and how many functions are entered in each.
import { Session } from 'node:inspector/promises';
import { RpcTarget, testConnection } from '@lumenize/rpc/testing';

class Counter extends RpcTarget {
  #value = 0;

  increment(by = 1): number {
    this.#value += by;
    return this.#value;
  }
}

/** What is done once, or now and then, is not of every call. */
const CALLS = 100;

const { stub } = testConnection(() => new Counter());
for (let call = 0; call < CALLS; call++) await stub.increment();
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await stub.increment();
await session.post('Profiler.takePreciseCoverage');
for (let call = 0; call < CALLS; call++) await stub.increment();
const { result } = await session.post('Profiler.takePreciseCoverage');
const passed = result.flatMap(({ url, functions }) => {
  const [, file] = /\/(packages\/(?:rpc|structured-clone)\/src\/.+)$/.exec(url) ?? [];
  const entries = functions.reduce((sum, { ranges: [{ count }] }) => sum + Math.round(count / CALLS), 0);
  return file === undefined || entries === 0 ? [] : [[file, entries]];
});
console.log(JSON.stringify(passed));
process.exit();
