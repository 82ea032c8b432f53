import type { TopLevelSpec } from 'vega-lite';
import type { Theme } from '../theme.ts';
import { headOf, INNER_WIDTH, MARGIN, type Words } from './head.ts';
import { type KeyItem, keyLayers } from './key.ts';
import { AXIS_WIDTH, type Panel, panelLayers } from './panel.ts';

const APART = 22;
const BELOW = 84;
/** Half of the last label of an axis. */
const LABEL_END = 16;

/** Panels in two columns. */
export interface PanelsChart extends Words {
  readonly panels: readonly Panel[];
  /** What the lines are, named above. */
  readonly key: readonly KeyItem[];
  /** The height of each, in px. @default 170 */
  readonly height?: number;
}

/** Describes a chart of panels. */
export function panelsChart({ panels, key, height = 170, ...words }: PanelsChart, theme: Theme): TopLevelSpec {
  const width = Math.floor((INNER_WIDTH - APART - LABEL_END) / 2) - AXIS_WIDTH;
  return {
    ...{ title: headOf(words, true, 4 - AXIS_WIDTH).title, bounds: 'flush', columns: 2 },
    spacing: { row: BELOW, column: APART + AXIS_WIDTH },
    padding: { left: MARGIN, right: MARGIN, top: MARGIN, bottom: MARGIN },
    concat: panels.map((panel, i) => ({
      ...{ width, height },
      layer: [...panelLayers(panel, theme), ...(i === 0 ? keyLayers(key, 4 - AXIS_WIDTH, theme, -38) : [])],
    })),
  } as TopLevelSpec;
}
