import type { RecordedRun } from '../recorded/recorded-run.ts';
import { CHARTS } from './charts/all.ts';
import { type PagePart, pageOf } from './page.ts';
import { renderSvg } from './svg/render-svg.ts';
import { THEMES } from './theme.ts';

/** The directory of charts and page, from the root. */
export const DIRECTORY = 'measurements/charts';

/** Runs that are of another state of the code, or of another machine, too. */
const NOT_DRAWN: ReadonlySet<string> = new Set(['change', 'deployed']);

/**
 * Draws every chart that these runs, oldest first, have data for, in every theme, and the page that shows them all.
 * Returns the files' contents by name. Throws where there is no run.
 */
export async function reportOf(recorded: readonly RecordedRun[]): Promise<Map<string, string>> {
  const runs = recorded.filter(({ profile }) => !NOT_DRAWN.has(profile));
  const newest = runs.at(-1);
  if (!newest) throw new Error('there is no run to draw');
  const files = new Map<string, string>();
  const parts: PagePart[] = [];
  for (const chart of CHARTS) {
    const drawn = [];
    for (const theme of THEMES) {
      const spec = chart.draw(runs, theme);
      if (!spec) break;
      const svg = await renderSvg(spec, theme);
      files.set(`${chart.name}-${theme.name}.svg`, svg);
      drawn.push(svg);
    }
    parts.push({ chart, ...(drawn.length > 0 && { svg: drawn[0] }) });
  }
  return files.set('index.html', pageOf(parts, newest));
}
