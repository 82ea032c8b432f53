import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import Table from 'cli-table3';
import { Bench } from 'tinybench';

class Counter extends RpcTarget {
  #value = 0;

  increment(by: number): number {
    this.#value += by;
    return this.#value;
  }

  getValue(): number {
    return this.#value;
  }
}

/** The number of calls that are made in one turn of the event loop. */
const TOGETHER = 100;
const US_PER_MS = 1000;

/**
 * Measures calls of a counter in this process, through the real client, frames and server but without a socket: what the
 * library itself takes. Each task runs for `forMs` after a warm-up of half of that.
 */
export async function counterInOneProcess(forMs: number): Promise<Bench> {
  const counter = connectInMemory(new Counter());
  const bench = new Bench({ time: forMs, warmupTime: forMs / 2, iterations: 1, warmupIterations: 1, throws: true });
  bench.add('getValue', () => counter.getValue(), { async: true });
  bench.add('increment', () => counter.increment(1), { async: true });
  const together = () => Promise.all(Array.from({ length: TOGETHER }, () => counter.getValue()));
  bench.add(`getValue, ${TOGETHER} in a turn`, together, { async: true });
  await bench.run();
  return bench;
}

/** Returns tinybench's statistics as a table. */
export function statisticsTable({ tasks }: Bench): string {
  const table = new Table({
    head: ['tinybench, in one process', 'µs (median)', 'mean', '± %', 'p99', 'samples'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  for (const { name, result } of tasks) {
    if (result.state !== 'completed') throw new Error(`${name} ended as ${result.state}`);
    const { p50, mean, rme, p99, samplesCount } = result.latency;
    const us = (ms: number) => (ms * US_PER_MS).toFixed(1);
    table.push([name, us(p50), us(mean), rme.toFixed(1), us(p99), samplesCount.toLocaleString('en')]);
  }
  return `${table}`;
}
