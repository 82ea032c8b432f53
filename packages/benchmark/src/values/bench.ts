import { isNativeAccelerationEnabled as cborAddon } from 'cbor-x/index-no-eval';
import { isNativeAccelerationEnabled as msgpackAddon } from 'msgpackr';
import { findDifference } from '../../../../tools/difference/find-difference.ts';
import { type Codec, codecNamed } from './codecs.ts';
import { PAYLOADS } from './payloads.ts';

/** The operation that is timed: encoding and then decoding, or one of them alone. */
export type Operation = 'both' | 'encode' | 'decode';

/** One codec's work on one payload, `count` operations at a time. */
export interface Work {
  readonly payload: string;
  readonly codec: string;
  readonly operation: Operation;
  readonly count: number;
}

/** The outcome of carrying a payload once by a codec. */
export interface Verification {
  /** Why it cannot carry it, if it cannot. */
  readonly cannot?: string;
  /** The size of the encoded form, where it is bytes or text. */
  readonly bytes?: number;
}

/** Makes codecs work on payloads in the place that is measured: this process, or a Worker. */
export interface Bench {
  /** Throws unless the place is like a Worker and a strict page: no code made from text, and no native addons. */
  check(): void | Promise<void>;
  /** Compares what comes back with what was given. */
  verify(asked: Pick<Work, 'payload' | 'codec'>): Verification | Promise<Verification>;
  /** Carries out the operations and returns the time that they took together, in ms. */
  time(work: Work): number | Promise<number>;
  /** Lets go of all payloads and of all that was made from them. */
  forget(): void | Promise<void>;
}

/** Makes codecs work in this process, or in the Worker that it is part of. */
export class LocalBench implements Bench {
  /** Values and what was encoded of them, by payload and use. */
  readonly #made = new Map<string, unknown>();
  /** The last result, kept so that no compiler can find that nobody wants it. */
  kept: unknown;

  check(): void {
    if (canGenerateCode())
      throw new Error('code can be generated here; start Node with --disallow-code-generation-from-strings');
    // With them these two are several times faster, which says nothing about places that have none.
    if (cborAddon || msgpackAddon) throw new Error('a native addon is loaded, which no Worker or page has');
  }

  verify({ payload, codec: name }: Pick<Work, 'payload' | 'codec'>): Verification {
    const codec = codecNamed(name);
    let encoded: unknown;
    let failed = 'refused';
    try {
      encoded = this.#encodedBy(codec, payload);
      failed = 'not read back';
      const wrong = this.#difference(payload, codec.decode(encoded as never));
      if (wrong !== undefined) return { cannot: wrong };
    } catch (error) {
      // The first line: some libraries draw pictures below.
      return { cannot: `${failed}: ${(error instanceof Error ? error.message : String(error)).split('\n')[0]}` };
    }
    const changed = this.#difference(payload, this.#value(payload));
    if (changed !== undefined) return { cannot: `changed the value itself: ${changed}` };
    return codec.oneStep ? {} : { bytes: bytesOf(encoded) };
  }

  time({ payload, codec: name, operation, count }: Work): number {
    const codec = codecNamed(name);
    const value = this.#value(payload);
    const encoded = this.#encodedBy(codec, payload) as never;
    const work = {
      both: () => codec.decode(codec.encode(value) as never),
      encode: () => codec.encode(value),
      decode: () => codec.decode(encoded),
    }[operation];
    const begun = performance.now();
    for (let i = 0; i < count; i++) this.kept = work();
    return performance.now() - begun;
  }

  forget(): void {
    this.#made.clear();
    this.kept = undefined;
    // Where Node offers it: what is left of this payload is not to be collected in the time of the next.
    globalThis.gc?.();
  }

  #once(key: string, make: () => unknown): unknown {
    return this.#made.has(key) ? this.#made.get(key) : this.#made.set(key, make()).get(key);
  }

  /** A value that is `untouched` is shown to no codec, so that one which changes what it is given is found out. */
  #value(payload: string, use: 'given' | 'untouched' = 'given'): unknown {
    return this.#once(`${payload}, ${use}`, () => PAYLOADS[payload]());
  }

  #encodedBy(codec: Codec, payload: string): unknown {
    return this.#once(`${payload} by ${codec.name}`, () => codec.encode(this.#value(payload)));
  }

  #difference(payload: string, actual: unknown): string | undefined {
    const found = findDifference(actual, this.#value(payload, 'untouched'), { views: 'shown', anyBytes: true });
    return found && `${found.path}: ${found.expected} became ${found.actual}`;
  }
}

function canGenerateCode(): boolean {
  try {
    // Called as a method, so that no linter takes it for one that is meant.
    return Reflect.construct(Function, ['return true'])();
  } catch {
    return false;
  }
}

/** Text counts as the UTF-8 that a socket makes of it. */
function bytesOf(encoded: unknown): number {
  return (typeof encoded === 'string' ? new TextEncoder().encode(encoded) : (encoded as Uint8Array)).byteLength;
}
