import { CloneError } from '@lumenize/structured-clone';
import { MESSAGE } from '../forms.ts';
import { brandOf, objectsIn } from '../graph/parts.ts';
import { sameGraph } from '../graph/same-graph.ts';
import { memoryTaken, usedMemory } from '../memory.ts';
import type { FuzzCase } from './cases.ts';
import type { Codec } from './codec.ts';
import { MODES, type ModeName } from './modes.ts';
import { oddity } from './prototypes.ts';

/** What the codec did wrong with a case. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
}

export type FailureKind =
  | 'throws'
  | 'allocates'
  | 'odd result'
  | 'cannot be sent on'
  | 'changes when sent on'
  | 'depends on what came before'
  // Found from outside: by a watchdog, and by looking at the prototypes now and then.
  | 'hangs'
  | 'changes a prototype';

const ASYNCHRONOUS = ['Blob', 'File', 'FormData', 'Request', 'Response'];

/** Memory that a byte of input may take. An empty AggregateError, three bytes, takes the most: 550 for each of them. */
export const BYTES_PER_BYTE = 1000;
/** Memory that anything may take: an error that is thrown, what the engine notes about code. */
const BASE_BYTES = 100_000;

/** Decodes a case and returns what went wrong; a refusal with a `CloneError` is what should be. */
export type Judge = (fuzzCase: FuzzCase) => Failure | undefined;

export function createJudge(codec: Codec): Judge {
  // Used again and again, as a connection does: what one case leaves behind can harm the next.
  const decoders = new Map(Object.entries(MODES).map(([name, { decode }]) => [name, codec.createDecoder(decode)]));

  function decodeCase({ form, mode, input }: FuzzCase, decoder = decoders.get(mode)!): unknown[] {
    if (form === 'text') return [codec.parse(input, MODES[mode].decode)];
    if (form === 'message') return [MESSAGE.read(input, MODES[mode].decode)];
    const values: unknown[] = [];
    decoder(input, (value) => values.push(value));
    return values;
  }

  /** Reads the case with a decoder that knows nothing, and returns what it reads otherwise. */
  function differenceOfNew(fuzzCase: FuzzCase, values: readonly unknown[]): string | undefined {
    if (fuzzCase.form !== 'bytes') return undefined;
    try {
      return sameGraph(values, decodeCase(fuzzCase, codec.createDecoder(MODES[fuzzCase.mode].decode)), {
        buffers: 'whole',
      });
    } catch (error) {
      return describeError(error);
    }
  }

  /** Encodes what was decoded, and decodes that. */
  function sendOn(form: FuzzCase['form'], mode: ModeName, values: readonly unknown[]): unknown[] {
    const { encode, decode } = MODES[mode];
    if (form === 'text') return [codec.parse(codec.stringify(values[0], encode), decode)];
    if (form === 'message') return [MESSAGE.read(MESSAGE.write(values[0], encode), decode)];
    const encoder = codec.createEncoder(encode);
    for (const value of values) encoder.write(value);
    const copies: unknown[] = [];
    codec.createDecoder(decode)(encoder.finish(), (value) => copies.push(value));
    return copies;
  }

  function judgeValues(fuzzCase: FuzzCase, values: readonly unknown[]): Failure | undefined {
    const { form, mode } = fuzzCase;
    for (const value of values) {
      const odd = oddity(value);
      if (odd !== undefined) return { kind: 'odd result', message: odd };
    }
    if (values.some(hasBodies)) return undefined;
    const remembered = differenceOfNew(fuzzCase, values);
    if (remembered !== undefined) return { kind: 'depends on what came before', message: remembered };
    let copies: unknown[];
    try {
      copies = sendOn(form, mode, values);
    } catch (error) {
      return { kind: 'cannot be sent on', message: describeError(error) };
    }
    const difference = sameGraph(values, copies);
    return difference === undefined ? undefined : { kind: 'changes when sent on', message: difference };
  }

  return (fuzzCase) => {
    const before = usedMemory();
    let values: unknown[] | undefined;
    try {
      values = decodeCase(fuzzCase);
    } catch (error) {
      if (!(error instanceof CloneError)) return { kind: 'throws', message: describeError(error) };
    }
    const allowed = allowedMemory(fuzzCase);
    if (usedMemory() - before > allowed) {
      const taken = memoryTaken(() => decodeCase(fuzzCase));
      if (taken > allowed) {
        return { kind: 'allocates', message: `${taken} bytes for an input of ${fuzzCase.input.length}` };
      }
    }
    return values && judgeValues(fuzzCase, values);
  };
}

/** Whether there is something in it that can only be sent, and compared, when it has been read asynchronously. */
function hasBodies(value: unknown): boolean {
  return [...objectsIn(value)].some((object) => ASYNCHRONOUS.includes(brandOf(object)));
}

function allowedMemory({ mode, input }: FuzzCase): number {
  return input.length * BYTES_PER_BYTE + MODES[mode].allowance + BASE_BYTES;
}

function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
