import { isNativeAccelerationEnabled as cborAddon } from 'cbor-x/index-no-eval';
import { isNativeAccelerationEnabled as msgpackAddon } from 'msgpackr';
import { findDifference } from '../../../../tools/difference/find-difference.ts';
import { type Codec, codecNamed } from './codecs.ts';
import { PAYLOADS } from './payloads.ts';

/** The operation to time: encoding and then decoding, or one of them alone. */
export type Operation = 'both' | 'encode' | 'decode';

/** One codec's work on one payload, `count` operations at a time. */
export interface Work {
  readonly payload: string;
  readonly codec: string;
  readonly operation: Operation;
  readonly count: number;
}

/** The result of encoding and decoding a payload once with a codec. */
export interface Verification {
  /** Why the codec does not support the payload, if it does not. */
  readonly cannot?: string;
  /** The size of the encoded form, if it is bytes or text. */
  readonly bytes?: number;
}

/** Runs codecs on payloads in the place that is measured: this process, or a Worker. */
export interface Bench {
  /** Throws unless the place is like a Worker and a strict page: no code generation from text, and no native addons. */
  check(): void | Promise<void>;
  /** Compares the decoded value with the original. */
  verify(asked: Pick<Work, 'payload' | 'codec'>): Verification | Promise<Verification>;
  /** Runs the operations, and returns their total time in ms. */
  time(work: Work): number | Promise<number>;
  /** Releases all payloads, and everything that was made from them. */
  forget(): void | Promise<void>;
}

/** Runs codecs in this process, or in the Worker that it is part of. */
export class LocalBench implements Bench {
  /** Values and their encoded forms, by payload and use. */
  readonly #made = new Map<string, unknown>();
  /** The last result. It is kept so that a compiler cannot remove the work. */
  kept: unknown;

  check(): void {
    if (canGenerateCode())
      throw new Error('code can be generated here; start Node with --disallow-code-generation-from-strings');
    // With these addons the two codecs are several times faster, which says nothing about places without addons.
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
      // The first line only, because some libraries draw pictures below it.
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
    // Collects the garbage of this payload, if Node allows it, so that it is not collected during the next one.
    globalThis.gc?.();
  }

  #once(key: string, make: () => unknown): unknown {
    return this.#made.has(key) ? this.#made.get(key) : this.#made.set(key, make()).get(key);
  }

  /** Returns a value. An `untouched` value is never passed to a codec. It reveals codecs that change their input. */
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
    // Called as a method, so that linters do not report it.
    return Reflect.construct(Function, ['return true'])();
  } catch {
    return false;
  }
}

/** Returns the size of an encoded value. Text counts as UTF-8, as on a socket. */
function bytesOf(encoded: unknown): number {
  return (typeof encoded === 'string' ? new TextEncoder().encode(encoded) : (encoded as Uint8Array)).byteLength;
}
