import { Recording } from '../../protocol/recording.ts';
import { RECORDING } from '../../protocol/tags.ts';
import type { Extension, ValueKind } from '../../session/extension.ts';
import { withRecording } from './recorder.ts';

const RECORDINGS_SENT: ValueKind = {
  names: [RECORDING],
  write: (value) => (value instanceof Recording ? { extension: value.extension } : undefined),
};

/** Sends the callback of `map` or `filter` on a result to the peer, which runs it where the result is. */
export const mapping: Extension = {
  name: 'mapping',
  values: [RECORDINGS_SENT],
  prepare: withRecording,
  isRecording: (value) => value instanceof Recording,
};
