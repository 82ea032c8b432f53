/** Colours of a chart on a light or on a dark page, as GitHub shows them. */
export interface Theme {
  readonly name: 'light' | 'dark';
  readonly background: string;
  readonly text: string;
  readonly faint: string;
  readonly grid: string;
  /** A colour of its own for every baseline, told apart without seeing red and green. */
  readonly baselines: Readonly<Record<string, string>>;
}

/** What charts are drawn in: every chart once in each. */
export const THEMES: readonly Theme[] = [
  {
    name: 'light',
    background: '#ffffff',
    text: '#1f2328',
    faint: '#59636e',
    grid: '#d8dee4',
    baselines: { capnweb: '#b35900', raw: '#0969da', 'raw-one-frame': '#59636e' },
  },
  {
    name: 'dark',
    background: '#0d1117',
    text: '#e6edf3',
    faint: '#9198a1',
    grid: '#2a313c',
    baselines: { capnweb: '#ffa657', raw: '#79c0ff', 'raw-one-frame': '#9198a1' },
  },
];
