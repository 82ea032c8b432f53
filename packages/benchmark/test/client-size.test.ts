import { expect, test } from 'vitest';
import { CONNECT, loadedByClient, sizeRow } from '../src/families/size.ts';
import { BUDGETS } from '../src/size/budgets.ts';

test('what a page loads to connect and call keeps to its budget', async () => {
  const limit = BUDGETS[CONNECT].ofSources!;
  const { value = 0 } = sizeRow(await loadedByClient('lumenize', ['@lumenize/source']));
  expect(value).toBeLessThanOrEqual(limit);
  expect(value).toBeGreaterThan(limit * 0.85);
});
