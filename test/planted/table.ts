import type { Defect } from './defects.ts';

const HEAD = '| area | defect | found by | seconds |\n| --- | --- | --- | --- |\n';

/** Returns the cells by which the row of a defect is found. */
export function rowStart({ area, name }: Pick<Defect, 'area' | 'name'>): string {
  return `| ${area} | ${name.replaceAll('-', ' ')} | `;
}

/**
 * Returns a page whose table of defects has the row of one of them, in the order of the list. Rows of defects that are not
 * in the list go; other tables stay. Throws if the page has no such table.
 */
export function withRow(
  page: string,
  defects: readonly Pick<Defect, 'area' | 'name'>[],
  defect: Pick<Defect, 'area' | 'name'>,
  row: string,
): string {
  const begin = page.indexOf(HEAD) + HEAD.length;
  if (begin < HEAD.length) throw new Error(`there is no table of defects: ${HEAD}`);
  const [, table] = /^((?:\| .*\n)*)/.exec(page.slice(begin))!;
  const old = table.split('\n');
  const rows = defects.flatMap((each) =>
    each === defect ? [row] : old.filter((line) => line.startsWith(rowStart(each))),
  );
  return `${page.slice(0, begin)}${rows.map((line) => `${line}\n`).join('')}${page.slice(begin + table.length)}`;
}
