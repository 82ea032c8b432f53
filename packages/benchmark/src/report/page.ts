import type { RecordedRun } from '../recorded/recorded-run.ts';
import type { ReportChart } from './chart.ts';
import { THEMES, type Theme } from './theme.ts';

/** A chart and, where there was something to draw, its drawing in the light theme. */
export interface PagePart {
  readonly chart: Pick<ReportChart, 'title' | 'alt' | 'command'>;
  readonly svg?: string;
}

/** Writes one page that needs no other file: all charts, and how to measure what there is none of yet. */
export function pageOf(parts: readonly PagePart[], newest: RecordedRun): string {
  const { cpu, cores, node, workerd, capnweb } = newest.environment;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lumenize RPC: measurements</title>
<style>
:root { color-scheme: light dark; ${COLORS.map(([name, light, dark]) => `--${name}: light-dark(${light}, ${dark})`).join('; ')} }
body { max-width: 830px; margin: 2em auto; padding: 0 1em; font: 15px/1.5 system-ui, sans-serif; background: var(--background); color: var(--text) }
svg { max-width: 100%; height: auto }
</style>
<h1>Lumenize RPC: measurements</h1>
<p>Drawn by <code>npm run report</code> from the files in <code>measurements/</code>, each chart from the newest that has
what it shows. Newest run: ${escape(newest.takenAt.slice(0, 16).replace('T', ' '))} UTC, commit ${escape(newest.commit)},
profile ${escape(newest.profile)}, ${escape(cpu)}, ${cores} cores, Node ${escape(node)}, workerd ${escape(workerd)}, Cap'n Web ${escape(capnweb)}.</p>
${parts.map(sectionOf).join('\n')}
</html>
`;
}

function sectionOf({ chart: { title, alt, command }, svg }: PagePart): string {
  const shown = svg ? inlined(svg, alt) : `<p>Not measured yet: <code>${escape(command)}</code> does it.</p>`;
  return `<h2>${escape(title)}</h2>\n${shown}`;
}

/** The names of all colours, and what each is on a light and on a dark page. */
const COLORS: readonly (readonly [name: string, light: string, dark: string])[] = colorsOf(THEMES[0]).map(
  ([name, light], i) => [name, light, colorsOf(THEMES[1])[i][1]],
);

function colorsOf({ background, text, faint, grid, series }: Theme): [name: string, color: string][] {
  return Object.entries({ background, text, faint, grid, ...series });
}

/** A drawing whose colours are those of the page, so that it is there once for both themes. */
function inlined(svg: string, alt: string): string {
  const coloured = COLORS.reduce((drawn, [name, light]) => drawn.replaceAll(`"${light}"`, `"var(--${name})"`), svg);
  return coloured.trim().replace('<svg', `<svg role="img" aria-label="${escape(alt)}"`);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
