import { brotliCompressSync } from 'node:zlib';
import { bundleForBrowser, gzipBytes } from './browser-bundle.ts';

/** What a page that only connects has to load. */
export interface ClientSize {
  readonly subject: 'lumenize' | 'capnweb';
  readonly minifiedBytes: number;
  readonly gzipBytes: number;
  readonly brotliBytes: number;
}

const CLIENTS = {
  lumenize: `export { connect } from '@lumenize/rpc'`,
  capnweb: `export { newWebSocketRpcSession } from 'capnweb'`,
} as const;

/** Bundles and minifies, for a browser, the one function that connects, and returns the sizes of the outcome. */
export async function measureClientSize(subject: ClientSize['subject']): Promise<ClientSize> {
  const code = await bundleForBrowser(CLIENTS[subject]);
  return {
    subject,
    minifiedBytes: code.byteLength,
    gzipBytes: gzipBytes(code),
    brotliBytes: brotliCompressSync(code).byteLength,
  };
}
