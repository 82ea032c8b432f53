import { bytes } from '../payloads/numbers.ts';
import { rows } from '../payloads/rows.ts';
import { chunkStream, readChunks } from '../work/chunks.ts';
import { expectAnswer, type Scenario } from './scenario.ts';
import { repeatedTurn } from './turn.ts';

const FAMILY = 'transports';

/** Reads of the counter, one at a time, over whatever carries them. */
export function read(name: string, turns: number): Scenario {
  return repeatedTurn({
    ...{ family: FAMILY, name, sample: 'call', turns },
    calls: (work) => work.getValue(),
    verify: (answer) => expectAnswer('getValue', answer, 0),
  });
}

/** Increments, one at a time. */
export function write(name: string, turns: number): Scenario {
  return repeatedTurn({
    ...{ family: FAMILY, name, sample: 'call', turns, increments: 1 },
    calls: (work) => work.increment(),
    verify: (answer, i) => expectAnswer('increment', answer, i + 1),
  });
}

/** `count` rows there and back, one call at a time. */
export function echoRows(name: string, count: number, turns: number): Scenario {
  return echo(name, () => rows(count), turns, otherText);
}

/** `count` bytes without any pattern there and back, one call at a time. */
export function echoBytes(name: string, count: number, turns: number): Scenario {
  return echo(name, () => bytes(count), turns, firstOther);
}

/** A stream of chunks from the other side to this one; a sample is a whole stream. */
export function streamDown(name: string, chunks: number, chunkBytes: number, turns: number): Scenario {
  return repeatedTurn({
    ...{ family: FAMILY, name, sample: 'stream', turns, operations: chunks },
    calls: (work) => work.download(chunks, chunkBytes),
    finish: (stream) => readChunks(stream),
    verify: (answer) => expectAnswer('the number of bytes received', answer, chunks * chunkBytes),
  });
}

/** A stream of chunks from this side to the other; a sample is a whole stream. */
export function streamUp(name: string, chunks: number, chunkBytes: number, turns: number): Scenario {
  return repeatedTurn({
    ...{ family: FAMILY, name, sample: 'stream', turns, operations: chunks },
    calls: (work) => work.upload(chunkStream(chunks, chunkBytes)),
    verify: (answer) => expectAnswer('the number of bytes sent', answer, chunks * chunkBytes),
  });
}

function echo<Value>(
  name: string,
  make: () => Value,
  turns: number,
  differenceIn: (answer: unknown, sent: Value) => string | number | undefined,
): Scenario {
  // Made with the first block: processes that measure something else need none.
  let value: Value | undefined;
  return repeatedTurn({
    ...{ family: FAMILY, name, sample: 'call', turns },
    prepare() {
      value ??= make();
    },
    calls: (work) => work.echo(value!),
    verify(answer) {
      const found = differenceIn(answer, value!);
      if (found !== undefined) throw new Error(`echo gave something else at ${found}`);
    },
  });
}

/** Compares rows as JSON: some libraries add a way to dispose of them, which is no part of the rows. */
function otherText(answer: unknown, sent: unknown): string | undefined {
  return JSON.stringify(answer) === JSON.stringify(sent) ? undefined : 'some row';
}

/** Returns where two arrays of bytes differ first. */
function firstOther(answer: unknown, sent: Uint8Array): number | string | undefined {
  if (!(answer instanceof Uint8Array)) return 'its class';
  if (answer.length !== sent.length) return `its length, ${answer.length}`;
  for (let i = 0; i < sent.length; i++) if (answer[i] !== sent[i]) return i;
  return undefined;
}
