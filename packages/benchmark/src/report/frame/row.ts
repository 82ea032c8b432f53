import type { Series } from '../theme.ts';

/** A value in a row, and its interval. */
export interface Dot {
  readonly series: Series;
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
  /** Whether it is filled. @default true */
  readonly told?: boolean;
  /** How far below the middle of its row it stands, in px, so that it hides no other. @default 0 */
  readonly dy?: number;
}

/** A part of a bar. */
export interface Bar {
  readonly series: Series;
  readonly from: number;
  readonly to: number;
  /** How strong its colour is. @default 1 */
  readonly opacity?: number;
}

/** One line of a chart of rows. */
export interface Row {
  /** Stands at the left in bold letters. */
  readonly heading?: string;
  /** Stands at the left. */
  readonly title?: string;
  /** Stands before the dots, in the colour of its series. */
  readonly name?: string;
  readonly series?: Series;
  readonly dots?: readonly Dot[];
  readonly bars?: readonly Bar[];
  /** Stands at the right, in that colour too. */
  readonly figures?: string;
  /** What is left free above it, in px. @default 0 */
  readonly gap?: number;
}

const HEIGHT = 19;

/** Lays rows out one below the other: each and its dots and bars with the distance of its middle from the top, in px. */
export function layOut(rows: readonly Row[]) {
  let top = 0;
  const lines = rows.map((row, i) => {
    top += i === 0 ? 0 : (row.gap ?? 0);
    const y = top + HEIGHT / 2;
    top += HEIGHT;
    return { ...row, y };
  });
  return {
    height: top,
    texts: lines.map(({ heading = '', title = '', name = '', series = 'none', figures = '', y }) => {
      return { heading, title, name, series, figures, y };
    }),
    dots: lines.flatMap(({ dots = [], y }) =>
      dots.map(({ value, low = value, high = value, told = true, series, dy = 0 }) => {
        return { value, low, high, told, series, y: y + dy };
      }),
    ),
    bars: lines.flatMap(({ bars = [], y }) => bars.map((bar) => ({ opacity: 1, ...bar, y }))),
  };
}

/** Puts rows under a title in the first of them, apart from those before. */
export function group(title: string, rows: readonly Row[], gap = 9): Row[] {
  return rows.map((row, i) => (i === 0 ? { ...row, title, gap } : row));
}
