import * as vega from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** Colors on light and dark pages, as on GitHub. */
export const COLORS = {
  background: ['#ffffff', '#0d1117'],
  text: ['#1f2328', '#e6edf3'],
  faint: ['#59636e', '#9198a1'],
  grid: ['#d8dee4', '#2a313c'],
  /**
   * The colors of the kinds of subjects, the same in all charts. They can be told apart without seeing red, green or
   * blue.
   */
  lumenize: ['#004d40', '#7ee7c7'],
  capnweb: ['#b35900', '#ffa657'],
  raw: ['#0969da', '#58a6ff'],
  other: ['#6e7781', '#8b949e'],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>;

/** A font that every system has. */
const FONT = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif';
const [FAINT] = COLORS.faint;
const [GRID] = COLORS.grid;
const [TEXT] = COLORS.text;

// Without a canvas, Vega estimates that characters are wider than they are, and leaves too much room for them.
const { textMetrics } = vega as unknown as {
  textMetrics: { width: (item: { fontSize: number }, text: string) => number };
};
textMetrics.width = ({ fontSize }, text) => Math.ceil(0.58 * fontSize * `${text ?? ''}`.length);

/** A logger that throws. Vega only warns of specifications that it does not understand, and draws something else. */
const STRICT = { level: () => STRICT, error: fail, warn: fail, info: () => STRICT, debug: () => STRICT } as never;

function fail(...reasons: readonly unknown[]): never {
  throw new Error(reasons.join(' '));
}

/**
 * Draws a chart as an SVG in light colors, which are replaced on dark pages. The same chart gives the same text, byte
 * for byte. Throws if the chart is not valid for Vega-Lite.
 */
export async function renderSvg(spec: TopLevelSpec): Promise<string> {
  const { spec: compiled } = compile(spec, {
    logger: STRICT,
    config: {
      // Charts are shown as images, so screen readers do not read their content. Their alternative text describes them.
      aria: false,
      background: COLORS.background[0],
      font: FONT,
      view: { stroke: null },
      title: {
        anchor: 'start',
        frame: 'bounds',
        color: TEXT,
        fontSize: 17,
        subtitleColor: FAINT,
        subtitleFontSize: 13,
        subtitlePadding: 5,
      },
      header: { labelColor: TEXT, labelFontSize: 13, labelFontWeight: 'bold', labelAnchor: 'start', title: null },
      axis: {
        labelColor: FAINT,
        labelFontSize: 12,
        titleColor: FAINT,
        titleFontSize: 12,
        titleFontWeight: 'normal',
        gridColor: GRID,
        domain: false,
        ticks: false,
      },
      legend: { labelColor: TEXT, labelFontSize: 13, title: null, orient: 'top', symbolOpacity: 1, labelLimit: 0 },
    },
  });
  const view = new vega.View(vega.parse(compiled), { renderer: 'none', logger: STRICT });
  try {
    return `${dual(await view.toSVG())}\n`;
  } finally {
    view.finalize();
  }
}

/** Adds a style that replaces each color on dark pages. It takes precedence over the attributes of shapes. */
function dual(svg: string): string {
  const rules = Object.values(COLORS).flatMap(([light, dark]) =>
    ['fill', 'stroke'].map((paint) => `[${paint}="${light}"]{${paint}:${dark}}`),
  );
  return svg.replace('>', `><style>@media(prefers-color-scheme:dark){${rules.join('')}}</style>`);
}
