const ATTRIBUTES = /(?<= (?:d|transform|x|y|x1|x2|y1|y2|width|height)=")[^"]*/g;
const DECIMALS = /-?\d*\.\d+(?:e-?\d+)?/g;
/** What nobody reads: charts are described as a whole. */
const UNSEEN = / (?:class|role|aria-[a-z]+|pointer-events)="[^"]*"/g;
const EMPTY = /<path d="M0,0h0v0h0Z"\/>/g;
const FONT = / font-family="[^"]*"/g;

/**
 * Makes a drawing smaller without changing what is seen: names its one font once, rounds coordinates to tenths of a px,
 * and leaves out what describes its parts.
 */
export function shrink(svg: string): string {
  const [font = ''] = svg.match(FONT) ?? [];
  return svg
    .replace(FONT, '')
    .replace(UNSEEN, '')
    .replace(EMPTY, '')
    .replace('<svg', `<svg${font}`)
    .replace(ATTRIBUTES, (value) => value.replace(DECIMALS, (number) => String(Number(Number(number).toFixed(1)))));
}
