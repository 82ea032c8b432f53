import type { Theme } from '../../src/report/theme.ts';

/** Returns the texts of a drawing, in the order in which they were drawn. */
export function texts(svg: string): string[] {
  return [...svg.matchAll(/<(?:text|tspan)[^>]*>([^<]+)</g)].map(([, text]) => text);
}

/** Returns the dots of a drawing, whatever their shape. */
export function dots(svg: string): string[] {
  return [...svg.matchAll(/<path transform="[^"]*" d="M[^"]*Z"[^>]*>/g)].map(([dot]) => dot);
}

/** Returns those of them that are filled. */
export function filled(svg: string, { background }: Theme): string[] {
  return dots(svg).filter((dot) => !dot.includes(`fill="${background}"`));
}

/** Returns the width of a drawing in px. */
export function width(svg: string): string | undefined {
  return svg.match(/<svg[^>]* width="(\d+)"/)?.[1];
}

/** Returns its height in px. */
export function height(svg: string): number {
  return Number(svg.match(/<svg[^>]* height="(\d+)"/)?.[1]);
}

const TEXT =
  /<text text-anchor="(start|end)" transform="translate\(([\d.-]+),([\d.-]+)\)" font-size="12px"[^>]*>([^<]+)</g;
/** The mean width of a letter of 12 px, in a wide font. */
const LETTER = 6.6;

/** Returns the texts of a chart of rows that are drawn over one another, beside the left end of its dots and bars. */
export function overlaps(svg: string): string[] {
  const found = [...svg.matchAll(TEXT)].map(([, anchor, x, y, text]) => {
    const length = LETTER * text.replaceAll(/&\w+;/g, '&').length;
    const left = anchor === 'start' ? Number(x) : Number(x) - length;
    return { text, y: Number(y), left, right: left + length };
  });
  return found.flatMap((a, i) =>
    found
      .slice(i + 1)
      .filter((b) => Math.abs(a.y - b.y) < 8 && a.left < b.right && b.left < a.right)
      .map((b) => `${a.text} | ${b.text}`),
  );
}
