import { CloneError } from '@lumenize/structured-clone';
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
  function decodeCase({ form, mode, input }: FuzzCase): unknown {
    const { decode } = MODES[mode];
    return form === 'text' ? codec.parse(input, decode) : codec.decode(input, decode);
  }

  /** Encodes what was decoded, and decodes that. */
  function sendOn(form: FuzzCase['form'], mode: ModeName, value: unknown): unknown {
    const { encode, decode } = MODES[mode];
    return form === 'text'
      ? codec.parse(codec.stringify(value, encode), decode)
      : codec.decode(codec.encode(value, encode), decode);
  }

  function judgeValue({ form, mode }: FuzzCase, value: unknown): Failure | undefined {
    const odd = oddity(value);
    if (odd !== undefined) return { kind: 'odd result', message: odd };
    if (hasBodies(value)) return undefined;
    let copy: unknown;
    try {
      copy = sendOn(form, mode, value);
    } catch (error) {
      return { kind: 'cannot be sent on', message: describeError(error) };
    }
    const difference = sameGraph(value, copy);
    return difference === undefined ? undefined : { kind: 'changes when sent on', message: difference };
  }

  return (fuzzCase) => {
    const before = usedMemory();
    let decoded: { value: unknown } | undefined;
    try {
      decoded = { value: decodeCase(fuzzCase) };
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
    return decoded && judgeValue(fuzzCase, decoded.value);
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
