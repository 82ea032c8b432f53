/** Writes content into the part of a document that comments of this name enclose. Throws where there is none. */
export function withRegion(document: string, name: string, content: string): string {
  const [before, after] = [`<!-- ${name}: npm run report -->`, `<!-- /${name} -->`];
  const begin = document.indexOf(before);
  const end = document.indexOf(after, begin);
  if (begin < 0 || end < 0) throw new Error(`there is no region ${before} … ${after}`);
  return `${document.slice(0, begin + before.length)}\n${content}\n${document.slice(end)}`;
}

/** Writes rows of cells as a table, the first of them as its head. */
export function markdownTable([head, ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
