import { bundleInParts, gzipBytes } from '@lumenize/hosts/browser-bundle';
import { expect, test } from 'vitest';
import { loadedByClient, sizeRow } from '../src/families/size.ts';
import { BUDGETS } from '../src/size/budgets.ts';

const OF_SOURCES = new Map(
  Object.entries(BUDGETS).flatMap(([name, { ofSources }]) => (ofSources ? [[name, ofSources] as const] : [])),
);

test('what a page loads at once, and each part when it needs it, keeps to its budget', async () => {
  const figures = (await loadedByClient('lumenize', ['@lumenize/source'])).map(sizeRow);
  expect(figures.map(({ scenario }) => scenario).toSorted()).toEqual([...OF_SOURCES.keys()].toSorted());
  const over = figures.filter(({ scenario, value = 0 }) => value > OF_SOURCES.get(scenario)!);
  expect(over.map(({ scenario, value }) => `${scenario}: ${value}`)).toEqual([]);
  expect(figures.every(({ scenario, value = 0 }) => value > OF_SOURCES.get(scenario)! * 0.85)).toBe(true);
});

test('what is loaded at once holds nothing of the parts', async () => {
  const { atOnce } = await bundleInParts(`export { connect } from '@lumenize/rpc'`, ['@lumenize/source']);
  const code = atOnce.map((file) => new TextDecoder().decode(file)).join('');
  const ofParts = [
    'maxCallsInFlight of',
    'a signal without its channel',
    'the callback runs once',
    'AsyncLocalStorage',
    'new DOMException',
  ];
  expect(ofParts.filter((text) => code.includes(text))).toEqual([]);
  expect(gzipBytes(new TextEncoder().encode(code))).toBeGreaterThan(10_000);
});
