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
