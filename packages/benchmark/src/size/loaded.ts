import { brotliCompressSync } from 'node:zlib';
import { gzipBytes } from '@lumenize/hosts/browser-bundle';
import type { SizeFigure } from './size-figure.ts';

/** What is loaded to do something, or to have all of an entry: its files, bundled and minified. */
export interface Loaded extends Pick<SizeFigure, 'scenario' | 'host'> {
  readonly subject: 'lumenize' | 'capnweb';
  readonly files: readonly Uint8Array[];
}

/** Returns the sizes of what is loaded: the sums of its files, each compressed by itself. */
export function sizeFigure({ files, ...loaded }: Loaded): SizeFigure {
  const sum = (of: (file: Uint8Array) => number) => files.reduce((total, file) => total + of(file), 0);
  return {
    family: 'size',
    ...loaded,
    unit: 'B',
    value: sum(gzipBytes),
    n: 1,
    detail: {
      minifiedBytes: sum((file) => file.byteLength),
      brotliBytes: sum((file) => brotliCompressSync(file).byteLength),
      files: files.length,
    },
  };
}
