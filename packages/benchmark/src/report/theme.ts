/** Colours of a chart on a light or on a dark page, as GitHub shows them. */
export interface Theme {
  readonly name: 'light' | 'dark';
  readonly background: string;
  readonly text: string;
  readonly faint: string;
  readonly grid: string;
  /** A colour for every kind of subject, the same in all charts, told apart without seeing red, green or blue. */
  readonly series: Readonly<Record<Series, string>>;
}

/** What a colour stands for. */
export type Series = 'lumenize' | 'capnweb' | 'raw' | 'other';

/** What charts are drawn in: every chart once in each. */
export const THEMES: readonly Theme[] = [
  {
    name: 'light',
    background: '#ffffff',
    text: '#1f2328',
    faint: '#59636e',
    grid: '#d8dee4',
    series: { lumenize: '#004d40', capnweb: '#b35900', raw: '#0969da', other: '#6e7781' },
  },
  {
    name: 'dark',
    background: '#0d1117',
    text: '#e6edf3',
    faint: '#9198a1',
    grid: '#2a313c',
    series: { lumenize: '#7ee7c7', capnweb: '#ffa657', raw: '#58a6ff', other: '#8b949e' },
  },
];
