import Table from 'cli-table3';

/** Columns apart by spaces, without lines between rows: it must read well in a log and cost few bytes there. */
const PLAIN = {
  chars: Object.fromEntries(
    ['top', 'bottom', 'left', 'right', 'mid', 'left-mid', 'mid-mid', 'right-mid', 'top-mid', 'top-left', 'top-right']
      .concat(['bottom-mid', 'bottom-left', 'bottom-right'])
      .map((name) => [name, '']),
  ),
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 1 },
};

/**
 * Lays rows out in columns, the first `leftAligned` of them to the left and the others to the right. A column in which no
 * row has anything is left out.
 */
export function textTable(
  head: readonly string[],
  leftAligned: number,
  rows: readonly (readonly (string | number)[])[],
): string {
  const isUsed = (_: unknown, column: number) => rows.length === 0 || rows.some((row) => row[column] !== '');
  const colAligns = head.map((_, column): 'left' | 'right' => (column < leftAligned ? 'left' : 'right'));
  const table = new Table({ ...PLAIN, head: head.filter(isUsed), colAligns: colAligns.filter(isUsed) });
  table.push(...rows.map((row) => row.filter(isUsed)));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
