import type { Codec, CodecName } from './codec.ts';
import { PORTABLE_CODECS } from './portable.ts';
import { v8 } from './v8.ts';

/** Every codec, those first that run in a Worker too. */
export const CODECS: readonly Codec[] = [...PORTABLE_CODECS, v8];

/** Returns the codec called `name`. */
export function codecNamed(name: CodecName, codecs: readonly Codec[] = CODECS): Codec {
  const codec = codecs.find((each) => each.name === name);
  if (!codec) throw new Error(`no codec is called ${name}`);
  return codec;
}
