import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { Theme } from '../theme.ts';
import { shrink } from './shrink.ts';

/** Width of every chart in px: what a README has on GitHub. */
export const CHART_WIDTH = 830;

/** A font that every system has. Charts leave room for wider ones: nothing measures text while they are drawn. */
const FONT = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif';

/** Vega only warns of what it does not understand, and draws something else. */
const STRICT = { level: () => STRICT, error: fail, warn: fail, info: () => STRICT, debug: () => STRICT } as never;

function fail(...reasons: readonly unknown[]): never {
  throw new Error(reasons.join(' '));
}

/** Draws a chart in a theme's colours. The same chart gives the same text, byte by byte. Throws where the chart is not
 * described as Vega-Lite wants it. */
export async function renderSvg(spec: TopLevelSpec, { background, text, faint, grid }: Theme): Promise<string> {
  const { spec: compiled } = compile(spec, {
    logger: STRICT,
    config: {
      // Charts are shown as images, whose insides nobody reads aloud: their alternative text says what they show.
      aria: false,
      background,
      font: FONT,
      view: { stroke: null },
      title: { anchor: 'start', color: text, fontSize: 16, subtitleColor: faint, subtitleFontSize: 12 },
      axis: {
        ...{ labelColor: faint, labelFontSize: 11, titleColor: faint, titleFontSize: 11, titleFontWeight: 'normal' },
        ...{ gridColor: grid, domainColor: grid, tickColor: grid },
      },
      text: { color: text, fontSize: 12, baseline: 'middle' },
    },
  });
  const view = new View(parse(compiled), { renderer: 'none', logger: STRICT });
  try {
    return `${shrink(cropped(await view.toSVG()))}\n`;
  } finally {
    view.finalize();
  }
}

const SIZE = /^(<svg[^>]*?) width="\d+(?:\.\d+)?" (.*?)viewBox="0 0 \d+(?:\.\d+)? /;

/** Gives a drawing the width of all charts: without a canvas letters are taken for wider than they are in any font. */
function cropped(svg: string): string {
  return svg.replace(SIZE, `$1 width="${CHART_WIDTH}" $2viewBox="0 0 ${CHART_WIDTH} `);
}
