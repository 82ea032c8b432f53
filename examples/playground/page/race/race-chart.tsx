import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { ROUNDS } from './race-run.ts';

interface RaceChartProps {
  readonly title: string;
  /** What the chart shows, for those who do not see it. */
  readonly description: string;
  /** A number for each round, of either contestant. */
  readonly lumenize: readonly number[];
  readonly capnweb: readonly number[];
  readonly format: (value: number) => string;
}

const HEIGHT = 190;
/** The colours by the page's own properties, so that a chart follows the scheme. */
const COLOURS = { lumenize: '--accent-ink', capnweb: '--ink-soft', rule: '--rule', text: '--ink-soft' };

/** A line for each contestant over the rounds, from 0 up. */
export function RaceChart({ title, description, lumenize, capnweb, format }: RaceChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const data: uPlot.AlignedData = [lumenize.map((_, i) => i + 1), [...lumenize], [...capnweb]];
  const latest = useRef(data);
  latest.current = data;

  useEffect(() => {
    const element = place.current!;
    const draw = () => {
      chart.current?.destroy();
      chart.current = new uPlot(optionsFor(element, format), latest.current, element);
    };
    draw();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    const sizes = new ResizeObserver(() => {
      // Nothing where the section is not in view.
      if (element.clientWidth > 0) chart.current?.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    sizes.observe(element);
    return () => {
      scheme.removeEventListener('change', draw);
      sizes.disconnect();
      chart.current?.destroy();
    };
  }, [format]);

  useEffect(() => chart.current?.setData(data));

  return (
    <figure>
      <figcaption>{title}</figcaption>
      <div ref={place} role="img" aria-label={description} />
    </figure>
  );
}

function optionsFor(element: HTMLElement, format: (value: number) => string): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: keyof typeof COLOURS) => style.getPropertyValue(COLOURS[name]).trim();
  const axis = {
    stroke: colour('text'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: colour('rule'), width: 1 },
    ticks: { show: false },
  };
  const line = (name: 'lumenize' | 'capnweb', dash: number[]) => ({
    stroke: colour(name),
    width: 2,
    dash,
    points: { show: true, size: 6, fill: colour(name), stroke: colour(name) },
  });
  return {
    width: Math.max(element.clientWidth, 1),
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [0.5, ROUNDS + 0.5] },
      y: { range: (_chart, _low, high) => [0, Math.max(high, 0) * 1.1 || 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        splits: () => [1, 3, 6, 9, 12],
        values: (_chart, all) => all.map(String),
      },
      {
        ...axis,
        size: 64,
        values: (chart, all) => all.map((value) => labelOf(value, chart.data[0].length > 0, format)),
      },
    ],
    series: [{}, line('lumenize', []), line('capnweb', [4, 4])],
  };
}

/** Without data there is no scale yet. */
function labelOf(value: number, hasData: boolean, format: (value: number) => string): string {
  if (!hasData) return '';
  return value === 0 ? '0' : format(value);
}
