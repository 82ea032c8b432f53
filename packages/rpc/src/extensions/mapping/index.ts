import type { Extension } from '../../session/extension.ts';
import { withRecording } from './recorder.ts';

/** Runs callbacks of `map` and `filter` on results where these are, on the other side. */
export const mapping: Extension = { name: 'mapping', call: { prepare: withRecording } };
