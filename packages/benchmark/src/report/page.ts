import { interval, ratio } from '../log/format.ts';
import { subjectName } from '../log/names.ts';
import type { RunRecord } from '../run-record.ts';
import { scenarioRatios } from './ratios.ts';
import { scenarioTitle } from './scenario-names.ts';

/** A chart in both themes, and what it shows in a sentence. */
export interface DrawnChart {
  readonly alt: string;
  readonly light: string;
  readonly dark: string;
}

/** Writes one page that needs no other file: the charts, and the newest run's figures as a table. */
export function pageOf(charts: readonly DrawnChart[], newest: RunRecord): string {
  const { cpu, cores, node, workerd, capnweb } = newest.environment;
  const rows = scenarioRatios(newest).flatMap(({ scenario, comparisons }) =>
    comparisons.map((each) => {
      const cells = [
        scenarioTitle(scenario),
        subjectName(each.baseline),
        ratio(each.ratio),
        interval(each.ci95),
        each.verdict,
      ];
      return `<tr>${cells.map((cell) => `<td>${escape(cell)}</td>`).join('')}</tr>`;
    }),
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lumenize RPC: measurements</title>
<style>
:root { color-scheme: light dark }
body { max-width: 830px; margin: 2em auto; padding: 0 1em; font: 15px/1.5 system-ui, sans-serif; background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #e6edf3) }
img { max-width: 100%; margin: 1em 0 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: 0.25em 1em 0.25em 0; border-bottom: 1px solid light-dark(#d8dee4, #2a313c) }
</style>
<h1>Lumenize RPC: measurements</h1>
<p>Drawn by <code>npm run report</code> from the files in <code>measurements/</code>. Newest run: ${escape(newest.takenAt.slice(0, 16).replace('T', ' '))} UTC,
commit ${escape(newest.commit)}, ${escape(cpu)}, ${cores} cores, Node ${escape(node)}, workerd ${escape(workerd)}, Cap'n Web ${escape(capnweb)}.</p>
${charts.map(pictureOf).join('\n')}
<h2>The newest run in figures</h2>
<table>
<tr><th>scenario</th><th>against</th><th>ratio</th><th>95 % interval</th><th>verdict</th></tr>
${rows.join('\n')}
</table>
</html>
`;
}

// As images and not inline: each keeps its own names of clipping paths, and only the one that is shown is drawn.
function pictureOf({ alt, light, dark }: DrawnChart): string {
  return `<picture>
<source media="(prefers-color-scheme: dark)" srcset="${dataUrl(dark)}">
<img alt="${escape(alt)}" src="${dataUrl(light)}">
</picture>`;
}

function dataUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
