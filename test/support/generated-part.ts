const END = '<!-- end -->';

/** Puts what a script of `package.json` writes where a document has room for it. Throws where it has none. */
export function withPart(document: string, script: string, part: string): string {
  const mark = `<!-- begin: npm run ${script} -->\n`;
  const begin = document.indexOf(mark) + mark.length;
  const end = document.indexOf(END, begin);
  if (begin < mark.length || end < 0) throw new Error(`there is no place for it: ${mark}${END}`);
  return `${document.slice(0, begin)}${part}\n${document.slice(end)}`;
}
