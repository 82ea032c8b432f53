import { findDifference } from '../../../../tools/difference/find-difference.ts';
import type { Codec, CodecName } from '../codecs/codec.ts';
import { payloadNamed } from '../payloads/all.ts';
import type { Bench, Operation, Verification } from './bench.ts';
import { sizesOf } from './sizes.ts';

/** Makes codecs work in this process, or in the Worker that it is part of. */
export class LocalBench implements Bench {
  readonly #codecs: ReadonlyMap<CodecName, Codec>;
  readonly #values = new Map<string, unknown>();
  /** The same values made a second time and shown to no codec, so that one which changes what it is given is found out. */
  readonly #untouched = new Map<string, unknown>();
  readonly #encoded = new Map<string, Map<CodecName, unknown>>();
  /** The last result, kept so that no compiler can find that nobody wants it. */
  kept: unknown;

  constructor(codecs: readonly Codec[]) {
    this.#codecs = new Map(codecs.map((codec) => [codec.name, codec]));
  }

  async verify(payload: string, name: CodecName, sizes: boolean): Promise<Verification> {
    const codec = this.#codecOf(name);
    let encoded: unknown;
    try {
      encoded = this.#encodedBy(codec, payload);
    } catch (error) {
      return { cannot: `refused: ${messageOf(error)}` };
    }
    try {
      const wrong = this.#difference(payload, codec.decode(encoded as never));
      if (wrong !== undefined) return { cannot: wrong };
    } catch (error) {
      return { cannot: `not read back: ${messageOf(error)}` };
    }
    const changed = this.#difference(payload, this.#valueOf(payload));
    if (changed !== undefined) return { cannot: `changed the value itself: ${changed}` };
    return sizes && !codec.oneStep ? await sizesOf(encoded) : {};
  }

  time(payload: string, name: CodecName, operation: Operation, count: number): number {
    const codec = this.#codecOf(name);
    const value = this.#valueOf(payload);
    const encoded = this.#encodedBy(codec, payload) as never;
    const begun = performance.now();
    switch (operation) {
      case 'both':
        for (let i = 0; i < count; i++) this.kept = codec.decode(codec.encode(value) as never);
        break;
      case 'encode':
        for (let i = 0; i < count; i++) this.kept = codec.encode(value);
        break;
      case 'decode':
        for (let i = 0; i < count; i++) this.kept = codec.decode(encoded);
        break;
      default:
        operation satisfies never;
    }
    return performance.now() - begun;
  }

  forget(payload: string): void {
    this.#values.delete(payload);
    this.#untouched.delete(payload);
    this.#encoded.delete(payload);
    this.kept = undefined;
    // Where Node offers it: what is left of this payload is not to be collected in the time of the next.
    globalThis.gc?.();
  }

  #codecOf(name: CodecName): Codec {
    const codec = this.#codecs.get(name);
    if (!codec) throw new Error(`no codec here is called ${name}`);
    return codec;
  }

  #valueOf(payload: string): unknown {
    return madeOnce(this.#values, payload);
  }

  #encodedBy(codec: Codec, payload: string): unknown {
    const made = this.#encoded.get(payload) ?? new Map<CodecName, unknown>();
    this.#encoded.set(payload, made);
    if (!made.has(codec.name)) made.set(codec.name, codec.encode(this.#valueOf(payload)));
    return made.get(codec.name);
  }

  #difference(payload: string, actual: unknown): string | undefined {
    const found = findDifference(actual, madeOnce(this.#untouched, payload), { views: 'shown', anyBytes: true });
    return found && `${found.path}: ${found.expected} became ${found.actual}`;
  }
}

function madeOnce(values: Map<string, unknown>, payload: string): unknown {
  if (!values.has(payload)) values.set(payload, payloadNamed(payload).make());
  return values.get(payload);
}

/** The first line: some libraries draw pictures below. */
function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0];
}
