import type { CodecName } from '../codecs/codec.ts';

/** What is asked of a codec by a payload: JSON's own data in some quantity or next to none, bytes, or what JSON has not. */
export type PayloadKind = 'plain' | 'tiny' | 'bytes' | 'rich';

/** A value that codecs are measured with. */
export interface Payload {
  readonly name: string;
  readonly kind: PayloadKind;
  /** Makes the value, the same each time. */
  make(): unknown;
  /** The codecs that are known not to give it back as it was; a run finds out for itself and says how. */
  readonly notCarriedBy: readonly CodecName[];
}
