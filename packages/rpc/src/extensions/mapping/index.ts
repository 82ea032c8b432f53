import { Recording } from '../../protocol/recording.ts';
import { RECORDING } from '../../protocol/tags.ts';
import type { Extension, ValueKind } from '../../session/extension.ts';
import { withRecording } from './recorder.ts';

const RECORDINGS_SENT: ValueKind = {
  names: [RECORDING],
  write: (value) => (value instanceof Recording ? { extension: value.extension } : undefined),
};

/** Runs callbacks of `map` and `filter` on results where these are, on the other side. */
export const mapping: Extension = {
  name: 'mapping',
  values: [RECORDINGS_SENT],
  prepare: withRecording,
  isRecording: (value) => value instanceof Recording,
};
