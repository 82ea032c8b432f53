import type { FigureResult } from '../families/figure-result.ts';

/**
 * The size of something that is loaded or installed, in bytes. Of a bundle `value` is what is left of it by gzip, and
 * `detail` has `minifiedBytes` and `brotliBytes`; of a package it is what lies in `node_modules`, and `detail` has
 * `packedBytes` and `files`.
 */
export interface SizeFigure extends Omit<FigureResult, 'host'> {
  readonly family: 'size';
  readonly unit: 'B';
  /** What loads it. */
  readonly host: 'browser' | 'workerd' | 'node';
  readonly detail: Readonly<Record<string, number>>;
}
