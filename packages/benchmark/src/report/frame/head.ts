import { CHART_WIDTH } from '../svg/render-svg.ts';

/** What is left free around a chart, in px. */
export const MARGIN = 10;
/** Width of what is inside. */
export const INNER_WIDTH = CHART_WIDTH - 2 * MARGIN;

const TITLE = 30;
const LINE = 16;
const KEY = 20;
const AFTER = 14;

/** The words above a chart. */
export interface Words {
  readonly title: string;
  readonly subtitle: readonly string[];
}

/** Describes them as a title, moved by `dx` px, and returns how much room they take, with a key or without. */
export function headOf({ title, subtitle }: Words, key: boolean, dx = 0): { title: object; top: number } {
  return {
    // The key is among what the title stands above.
    title: { text: title, subtitle, subtitlePadding: 6, offset: AFTER, anchor: 'start', frame: 'group', dx },
    top: TITLE + LINE * subtitle.length + AFTER + (key ? KEY : 0),
  };
}
