import { brotliCompressSync } from 'node:zlib';
import { bundleInParts, gzipBytes } from './browser-bundle.ts';
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
  const { atOnce } = await bundleInParts(CLIENTS[subject], conditions);
  return { subject, ...sizesOf(atOnce) };
}

/** Returns the sizes of what a page loads to connect and call, and of each part that it loads when that is first needed. */
export async function measureClientParts(
  subjects: readonly string[],
  conditions?: string[],
): Promise<readonly SizeFigure[]> {
  const wanted = (['lumenize', 'capnweb'] as const).filter((subject) => subjects.includes(subject));
  const figures = await Promise.all(
    wanted.map(async (subject) => {
      const { atOnce, parts } = await bundleInParts(CLIENTS[subject], conditions);
      return [
        figure(AT_ONCE, subject, atOnce),
        ...[...parts].map(([name, files]) => figure(`when needed: ${name}`, subject, files)),
      ];
    }),
  );
  return figures.flat();
}

function figure(scenario: string, subject: string, files: readonly Uint8Array[]): SizeFigure {
  const { gzipBytes: value, minifiedBytes, brotliBytes } = sizesOf(files);
  const detail = { minifiedBytes, brotliBytes, files: files.length };
  return { family: 'size', scenario, subject, host: 'browser', unit: 'B', value, n: 1, detail };
}

function sizesOf(files: readonly Uint8Array[]): Omit<ClientSize, 'subject'> {
  const sum = (of: (file: Uint8Array) => number) => files.reduce((total, file) => total + of(file), 0);
  return {
    minifiedBytes: sum((file) => file.byteLength),
    gzipBytes: sum(gzipBytes),
    brotliBytes: sum((file) => brotliCompressSync(file).byteLength),
  };
}
