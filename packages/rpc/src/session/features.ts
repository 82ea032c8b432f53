import { Feature } from './feature.ts';

// What both sides have, and a client only needs once it has given a function away, or a stream is passed.

/** Answering calls, and going on from results that have arrived. */
export const ANSWERING = new Feature('answering', () => import('./incoming/answering.ts'));
/** Streams, async iterables, promises and abort signals. */
export const CHANNELS = new Feature('channels', () => import('./channels/channels.ts'));
