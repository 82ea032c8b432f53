import { STREAMS } from '../../session/channels/streams.ts';
import type { Extension } from '../../session/extension.ts';

/** Passes streams, async iterables, promises and signals, either way. */
export const streams: Extension = STREAMS;
