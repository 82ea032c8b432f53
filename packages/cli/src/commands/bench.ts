import { connection } from '@lumenize/rpc';
import cliProgress from 'cli-progress';
import Table from 'cli-table3';
import { type Command, InvalidArgumentError } from 'commander';
import { build, type Histogram } from 'hdr-histogram-js';
import { type AnyStub, addTargetOptions, connectTo, readCount, type TargetOptions } from '../connect-options.ts';
import { callOf } from '../expression/evaluate.ts';
import { parse, refuseTwice } from '../expression/parse.ts';
import { readArgument } from '../expression/read-argument.ts';
import { EXIT, Failure, reportFailure } from '../failure.ts';
import { isStub } from '../stub.ts';

interface BenchOptions extends TargetOptions {
  readonly connections: number;
  readonly inFlight: number;
  readonly seconds: number;
  readonly warmUp: number;
}

const CAUTION = `
Latency is that of a closed loop: a call begins when the one before it has been answered, so that a server that
stalls is asked less. All of it runs in one process, which on a fast network is what limits the rate.`;

/** The exit code of a process that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** Adds `bench`, which makes one call repeatedly and reports how long it takes. */
export function addBench(program: Command): void {
  const command = program
    .command('bench')
    .description('make a call over and over, and print its latency and rate; it has its effect each time')
    .argument('<url>', 'where the object is, such as ws://localhost:8787/rpc/counter/main')
    .argument('<method>', 'a method, or a chain that ends in one')
    .argument('[arguments...]', 'JavaScript values; what is none is text')
    .option('-c, --connections <count>', 'how many connections', readCount, 1)
    .option('-i, --in-flight <count>', 'how many calls each has under way', readCount, 1)
    .option('-s, --seconds <seconds>', 'how long to measure', readSomeSeconds, 5)
    .option('--warm-up <seconds>', 'how long to call before that', readSeconds, 1)
    .addHelpText('after', CAUTION);
  addTargetOptions(command).action(async (url: string, method: string, args: string[], options: BenchOptions) => {
    process.exitCode = await bench(url, method, args, options).catch(reportFailure);
  });
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 0)) throw new InvalidArgumentError('It should be a number of seconds.');
  return seconds;
}

function readSomeSeconds(text: string): number {
  const seconds = readSeconds(text);
  if (seconds === 0) throw new InvalidArgumentError('It should be longer than nothing.');
  return seconds;
}

async function bench(url: string, method: string, texts: string[], options: BenchOptions): Promise<number> {
  const args = texts.map(readArgument);
  const expression = parse(method);
  refuseTwice(expression, method, args);
  const stubs = Array.from({ length: options.connections }, () => connectTo(url, options));
  const call = async (stub: AnyStub) => {
    const result = await callOf(expression, stub, (member) => member(...args));
    await release(result).catch((error) => {
      throw new Failure(error, EXIT.NOT_SHOWN);
    });
  };
  const { warmUp, seconds } = options;
  const bar = new cliProgress.SingleBar({
    format: '{bar} {value}/{total} s {stage}',
    clearOnComplete: true,
    hideCursor: true,
  });
  // Otherwise the cursor would stay hidden, and long lines would be cut.
  process.on('SIGINT', () => {
    bar.stop();
    process.exit(INTERRUPTED);
  });
  try {
    // Makes one call first, so that an error is reported once, before anything is measured.
    await call(stubs[0]);
    if (process.stderr.isTTY) bar.start(warmUp + seconds, 0, { stage: 'warming up' });
    await load(stubs, call, options.inFlight, warmUp, (spent) => bar.update(Math.round(spent)));
    const { latencies, elapsedMs } = await load(stubs, call, options.inFlight, seconds, (spent) =>
      bar.update(Math.round(warmUp + spent), { stage: 'measuring' }),
    );
    bar.stop();
    console.log(report(latencies, elapsedMs, stubs));
  } finally {
    bar.stop();
    for (const stub of stubs) connection(stub).close();
  }
  return 0;
}

/**
 * Releases what a call has opened, such as a reference or a subscription. Otherwise they would pile up in the object.
 */
async function release(result: unknown): Promise<void> {
  if (result instanceof ReadableStream) return result.cancel();
  if (!isStub(result) && (typeof result !== 'object' || result === null)) return;
  const { [Symbol.dispose]: dispose } = result as Partial<Disposable>;
  if (dispose !== undefined) dispose.call(result);
  else if (Symbol.asyncIterator in result) await (result as Partial<AsyncIterableIterator<unknown>>).return?.();
}

interface Measured {
  /** Latencies in microseconds. */
  readonly latencies: Histogram;
  readonly elapsedMs: number;
}

/** Keeps `inFlight` calls under way over each connection for `seconds`. The first call that fails ends it. */
async function load(
  stubs: readonly AnyStub[],
  call: (stub: AnyStub) => Promise<void>,
  inFlight: number,
  seconds: number,
  onSecond: (spent: number) => void,
): Promise<Measured> {
  const latencies = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: 60_000_000,
    numberOfSignificantValueDigits: 3,
  });
  const began = performance.now();
  const ends = began + seconds * 1000;
  let told = 0;
  let isOver = seconds === 0;
  const loop = async (stub: AnyStub) => {
    while (!isOver) {
      const sent = performance.now();
      await call(stub);
      const now = performance.now();
      latencies.recordValue(Math.round((now - sent) * 1000));
      isOver ||= now >= ends;
      if (now - began >= (told + 1) * 1000) onSecond(++told);
    }
  };
  try {
    await Promise.all(stubs.flatMap((stub) => Array.from({ length: inFlight }, () => loop(stub))));
  } finally {
    isOver = true;
  }
  return { latencies, elapsedMs: performance.now() - began };
}

function report(latencies: Histogram, elapsedMs: number, stubs: readonly AnyStub[]): string {
  const calls = latencies.totalCount;
  const table = new Table({
    head: ['calls', 'calls/s', 'mean', 'p50', 'p90', 'p99', 'p99.9', 'max'],
    style: { head: [], border: [] },
  });
  const ms = (microseconds: number) => `${(microseconds / 1000).toFixed(3)} ms`;
  // A percentile is only shown if at least ten calls lie beyond it.
  const at = (percentile: number) =>
    calls * (1 - percentile / 100) >= 10 ? ms(latencies.getValueAtPercentile(percentile)) : '–';
  table.push([
    String(calls),
    (calls / (elapsedMs / 1000)).toFixed(0),
    ms(latencies.mean),
    at(50),
    at(90),
    at(99),
    at(99.9),
    ms(latencies.maxValue),
  ]);
  const totals = stubs.map((stub) => connection(stub).statistics);
  const sum = (count: (statistics: (typeof totals)[number]) => number) =>
    totals.reduce((all, each) => all + count(each), 0);
  const frames = `${sum((each) => each.framesSent)} frames up, ${sum((each) => each.framesReceived)} down, warm-up included`;
  return `${table}\n${frames}`;
}
