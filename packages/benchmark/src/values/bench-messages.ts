import type { CodecName } from '../codecs/codec.ts';
import type { Operation, Verification } from './bench.ts';

/** What a Worker is asked to do; one answer comes for each, in order. */
export type BenchRequest =
  | { readonly type: 'check' }
  | { readonly type: 'verify'; readonly payload: string; readonly codec: CodecName; readonly sizes: boolean }
  | {
      readonly type: 'time';
      readonly payload: string;
      readonly codec: CodecName;
      readonly operation: Operation;
      /** 0 for a request that does nothing: what asking and answering take. */
      readonly count: number;
    }
  | { readonly type: 'forget'; readonly payload: string };

/** What a Worker answers. */
export interface BenchReply {
  readonly verification?: Verification;
  readonly error?: string;
}
