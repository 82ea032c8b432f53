const END = '<!-- end -->';

/** The place in a document that a tool writes: `<!-- begin: … <tool> -->`, up to `<!-- end -->`. */
interface Part {
  readonly begin: number;
  readonly end: number;
}

/** Returns the part of a document that a tool writes. Throws if it has none. */
export function partOf(document: string, tool: string): string {
  const { begin, end } = findPart(document, tool);
  return document.slice(begin, end);
}

/** Puts what a tool writes where a document has room for it. Throws if it has none. */
export function withPart(document: string, tool: string, part: string): string {
  const { begin, end } = findPart(document, tool);
  return `${document.slice(0, begin)}${part}\n${document.slice(end)}`;
}

function findPart(document: string, tool: string): Part {
  // How the tool is started comes before its name.
  const mark = new RegExp(`<!-- begin: (?:.* )?${tool} -->\\n`).exec(document);
  const begin = mark === null ? 0 : mark.index + mark[0].length;
  const end = document.indexOf(END, begin);
  if (mark === null || end < 0)
    throw new Error(`there is no place for it: <!-- begin: npm run tool -- ${tool} --> ${END}`);
  return { begin, end };
}
