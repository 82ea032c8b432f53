import type { TopLevelSpec } from 'vega-lite';
import type { RunRecord } from '../run-record.ts';
import { historyChart } from './history-chart.ts';
import { pageOf } from './page.ts';
import { ratioChart } from './ratio-chart.ts';
import { renderSvg } from './render-svg.ts';
import { THEMES, type Theme } from './theme.ts';

/** The directory of charts and page, from the root. */
export const CHARTS = 'measurements/charts';

interface Chart {
  readonly name: string;
  readonly alt: string;
  draw(theme: Theme): TopLevelSpec;
}

/**
 * Draws every chart in every theme, and the page that shows them all, from runs of the short profile, oldest first.
 * Returns the files' contents by name. Throws where there is no run.
 */
export async function reportOf(runs: readonly RunRecord[]): Promise<Map<string, string>> {
  const newest = runs.at(-1);
  if (!newest) throw new Error('there is no run of the short profile to draw');
  const charts: readonly Chart[] = [
    {
      name: 'ratios',
      alt: "Ratios of times of Cap'n Web and of raw JSON to those of Lumenize RPC, with 95 % intervals",
      draw: (theme) => ratioChart(newest, theme),
    },
    {
      name: 'history',
      alt: 'The same ratios over commits',
      draw: (theme) => historyChart(runs, theme),
    },
  ];
  const files = new Map<string, string>();
  const drawn = [];
  for (const { name, alt, draw } of charts) {
    const [light, dark] = await Promise.all(THEMES.map((theme) => renderSvg(draw(theme), theme)));
    files.set(`${name}-light.svg`, light).set(`${name}-dark.svg`, dark);
    drawn.push({ alt, light, dark });
  }
  return files.set('index.html', pageOf(drawn, newest));
}
