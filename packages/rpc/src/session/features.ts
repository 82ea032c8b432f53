import { Feature } from './feature.ts';

// What both sides have, and what a page that only makes calls can do without, or have a little later.

/** What goes beyond plain calls: references, Blobs and the like, messages in parts, and saying what is wrong with an argument. */
export const BEYOND = new Feature('beyond plain calls', () => import('./beyond.ts'));
/** Answering calls, and going on from results that have arrived. */
export const ANSWERING = new Feature('answering', () => withBeyond(import('./incoming/answering.ts')));
/** Streams, async iterables, promises and abort signals. */
export const CHANNELS = new Feature('channels', () => withBeyond(import('./channels/channels.ts')));

/** Loads with a part what it needs, at the same time. */
async function withBeyond<Part>(loading: Promise<Part>): Promise<Part> {
  const [part] = await Promise.all([loading, BEYOND.load()]);
  return part;
}
