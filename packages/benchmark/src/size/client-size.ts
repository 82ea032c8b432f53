import { bundleInParts } from '@lumenize/hosts/browser-bundle';
import { type Loaded, sizeFigure } from './loaded.ts';
import type { SizeFigure } from './size-figure.ts';

/** What a page that only connects and calls has to load: the sum of its files, each compressed by itself. */
export interface ClientSize {
  readonly subject: 'lumenize' | 'capnweb';
  readonly minifiedBytes: number;
  readonly gzipBytes: number;
  readonly brotliBytes: number;
}

/** The figure of what a page loads at once. */
export const AT_ONCE = 'connect and call';

const CLIENTS = {
  lumenize: `export { connect } from '@lumenize/rpc'`,
  capnweb: `export { newWebSocketRpcSession } from 'capnweb'`,
} as const;

/** Bundles and minifies, for a browser, the one function that connects, and returns the sizes of what is loaded at once. */
export async function measureClientSize(subject: ClientSize['subject'], conditions?: string[]): Promise<ClientSize> {
  const [atOnce] = await loadedByClient(subject, conditions);
  const { value, detail } = sizeFigure(atOnce);
  return { subject, gzipBytes: value, minifiedBytes: detail.minifiedBytes, brotliBytes: detail.brotliBytes };
}

/** Returns the sizes of what a page loads to connect and call, and of each part that it loads when that is first needed. */
export async function measureClientParts(
  subjects: readonly string[],
  conditions?: string[],
): Promise<readonly SizeFigure[]> {
  const wanted = (['lumenize', 'capnweb'] as const).filter((subject) => subjects.includes(subject));
  const loaded = await Promise.all(wanted.map((subject) => loadedByClient(subject, conditions)));
  return loaded.flat().map(sizeFigure);
}

/** Bundles what a page loads at once to connect and call, which comes first, and what it loads when that is needed. */
export async function loadedByClient(subject: Loaded['subject'], conditions?: string[]): Promise<Loaded[]> {
  const { atOnce, parts } = await bundleInParts(CLIENTS[subject], conditions);
  const all: [string, readonly Uint8Array[]][] = [[AT_ONCE, atOnce]];
  for (const [name, files] of parts) all.push([`when needed: ${name}`, files]);
  return all.map(([scenario, files]) => ({ scenario, subject, host: 'browser', files }));
}
