import { SHAPES } from '../series.ts';
import type { Series, Theme } from '../theme.ts';

/** What a key names: a series, or a strength of any colour, and what it is called. */
export type KeyItem = readonly [what: Series | number, name: string];

const SYMBOL = 14;
/** Wide enough for a letter of most fonts at 12 px. */
const LETTER = 6.8;
const APART = 18;

/** Names series in a line above a chart, each beside its shape and in its colour. */
export function keyLayers(items: readonly KeyItem[], left: number, theme: Theme, y = -14): object[] {
  let x = left;
  return items.flatMap(([what, name]) => {
    const at = x;
    x += SYMBOL + LETTER * name.length + APART;
    const place = (px: number) => ({ x: { value: px }, y: { value: y } });
    const strength = typeof what === 'number';
    const color = strength ? theme.text : theme.series[what];
    const shape = strength ? 'square' : SHAPES[what];
    return [
      {
        data: { values: [{}] },
        mark: { type: 'point', shape, size: 55, filled: true, color, opacity: strength ? what : 1 },
        encoding: place(at + 4),
      },
      {
        data: { values: [{}] },
        mark: { type: 'text', align: 'left', color, text: name },
        encoding: place(at + SYMBOL),
      },
    ];
  });
}
