import { bytes, rows } from '../values/payloads.ts';
import { chunkStream, readChunks, type Work } from '../work/work.ts';
import { expectAnswer, type Scenario, timed } from './scenario.ts';

/** A turn: its calls, and the check of their results. */
interface Turn {
  /** The unit of work that one sample times. @default call */
  readonly sample?: Scenario['sample'];
  /** The number of operations in one turn. @default 1 */
  readonly operations?: number;
  /** The number of increments of the counter in one turn. @default 0 */
  readonly increments?: number;
  /** Runs before the first turn, untimed. */
  prepare?(): void;
  /** Makes the calls of turn `i`, from 0. The time ends when the returned promise has settled. */
  calls(work: Work, i: number): PromiseLike<unknown>;
  /** Throws unless the result is right. Untimed. */
  verify(result: unknown, i: number): void;
}

/** Repeats the same turn `turns` times. Each begins when the result of the one before has been verified. */
export function repeated(
  name: string,
  turns: number,
  { sample = 'call', operations = 1, increments = 0, prepare, calls, verify }: Turn,
): Scenario {
  return {
    ...{ name, sample, operations: turns * operations },
    increments: turns * increments,
    async measure({ connection }, samplesMs) {
      prepare?.();
      return timed(turns, samplesMs, async (i) => calls(connection.work, i), verify);
    },
  };
}

const HUNDRED = 100;
const KIB = 1024;
const MIB = KIB * KIB;
const CHUNKS = 16;

/** Calls that build on each other, and callbacks. */
export const PIPELINE_SCENARIOS: readonly Scenario[] = [
  chain('pipeline/chain-3', 60),
  // The result of a chain is the argument of another call, in one turn.
  repeated('pipeline/argument', 60, {
    calls: (work) => work.greet(work.owner().profile().name),
    verify: (answer) => expectAnswer('greet', answer, 'Hello, Ada'),
  }),
  // Calls of one turn whose results are all needed.
  repeated('pipeline/batch-100', 3, {
    ...{ sample: 'turn', operations: HUNDRED },
    calls: (work) => Promise.all(Array.from({ length: HUNDRED }, (_, i) => work.square(i))),
    verify: (answer) => expectList('square', answer, HUNDRED, (i) => i * i),
  }),
  // A list that the other side creates and maps, with a call for each element.
  repeated('pipeline/map-100', 10, {
    ...{ sample: 'turn', operations: HUNDRED },
    calls: (work) => work.numbers(HUNDRED).map((number) => work.square(number)),
    verify: (answer) => expectList('map', answer, HUNDRED, (i) => (i + 1) ** 2),
  }),
  // A call that the other side answers after it has called a function of this side.
  repeated('pipeline/callback', 40, {
    calls: (work, i) => work.callBack((value) => value + 1, i),
    verify: (answer, i) => expectAnswer('callBack', answer, i + 1),
  }),
];

/** The same calls over everything that can carry them, `times` as many as usual in a block. */
export function carrierScenarios(times: number): Scenario[] {
  return [
    repeated('call/getValue', 60 * times, {
      calls: (work) => work.getValue(),
      verify: (answer) => expectAnswer('getValue', answer, 0),
    }),
    repeated('call/increment', 40 * times, {
      increments: 1,
      calls: (work) => work.increment(),
      verify: (answer, i) => expectAnswer('increment', answer, i + 1),
    }),
    echoed('call/echo-rows-20', 40 * times, () => rows(20)),
  ];
}

export const CARRIER_SCENARIOS: readonly Scenario[] = carrierScenarios(1);

/** Large values, and streams of 16 chunks of 64 KiB each. */
export const SIZE_SCENARIOS: readonly Scenario[] = [
  echoed('echo/rows-200', 30, () => rows(200)),
  echoed('echo/bytes-64KiB', 20, () => bytes(64 * KIB)),
  echoed('echo/bytes-1MiB', 4, () => bytes(MIB)),
  repeated('stream/down-64KiB', 4, {
    ...{ sample: 'stream', operations: CHUNKS },
    calls: async (work) => readChunks(await work.download(CHUNKS, 64 * KIB)),
    verify: (answer) => expectAnswer('the number of bytes received', answer, MIB),
  }),
  repeated('stream/up-64KiB', 4, {
    ...{ sample: 'stream', operations: CHUNKS },
    calls: (work) => work.upload(chunkStream(CHUNKS, 64 * KIB)),
    verify: (answer) => expectAnswer('the number of bytes sent', answer, MIB),
  }),
  { ...echoed('echo/bytes-16MiB', 1, () => bytes(16 * MIB)), long: true },
];

/** Three steps as one chain, of which only the last result is needed, one chain at a time. */
export function chain(name: string, turns: number): Scenario {
  return repeated(name, turns, {
    calls: (work) => work.owner().profile().name,
    verify: (answer) => expectAnswer('the chain', answer, 'Ada'),
  });
}

/** Sends a value there and back `turns` times, and compares it with the original. */
function echoed(name: string, turns: number, make: () => unknown): Scenario {
  // Created with the first block, because processes that measure something else do not need it.
  let value: unknown;
  return repeated(name, turns, {
    prepare() {
      value ??= make();
    },
    calls: (work) => work.echo(value),
    verify: (answer) => expectSame(answer, value),
  });
}

/**
 * Throws unless rows or bytes came back as they were sent. Rows are compared as JSON, because some libraries add a
 * method to dispose of them.
 */
export function expectSame(answer: unknown, sent: unknown): void {
  const same =
    sent instanceof Uint8Array
      ? answer instanceof Uint8Array && answer.length === sent.length && sent.every((byte, i) => byte === answer[i])
      : JSON.stringify(answer) === JSON.stringify(sent);
  if (!same) throw new Error('echo gave something else than was sent');
}

function expectList(what: string, answer: unknown, length: number, item: (i: number) => number): void {
  const list = answer as readonly unknown[];
  expectAnswer(`the number of results of ${what}`, list.length, length);
  for (let i = 0; i < length; i++) expectAnswer(`${what}, ${i}`, list[i], item(i));
}
