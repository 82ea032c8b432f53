import { expect, it } from 'vitest';
import { counterInOneProcess, statisticsTable } from '../src/in-one-process.ts';

it('measures calls of a counter in this process, and shows the statistics of tinybench', async () => {
  const bench = await counterInOneProcess(5);
  expect(bench.tasks.map(({ name, result }) => `${name}: ${result.state}`)).toEqual([
    'getValue: completed',
    'increment: completed',
    'getValue, 100 in a turn: completed',
  ]);
  const [head, ...rows] = statisticsTable(bench)
    .split('\n')
    .filter((line) => line.includes('│'))
    .map((line) => line.split('│').map((cell) => cell.trim()));
  expect(head.slice(1, -1)).toEqual(['tinybench, in one process', 'µs (median)', 'mean', '± %', 'p99', 'samples']);
  expect(rows).toHaveLength(3);
  for (const [, , ...figures] of rows)
    expect(
      figures
        .slice(0, 2)
        .map(Number)
        .every((us) => us > 0),
    ).toBe(true);
});
