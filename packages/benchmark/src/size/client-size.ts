import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { ROOT } from '../root.ts';

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
  const { outputFiles } = await build({
    stdin: { contents: CLIENTS[subject], resolveDir: ROOT },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
  });
  const code = outputFiles[0].contents;
  return {
    subject,
    minifiedBytes: code.byteLength,
    gzipBytes: gzipSync(code, { level: constants.Z_BEST_COMPRESSION }).byteLength,
    brotliBytes: brotliCompressSync(code).byteLength,
  };
}
