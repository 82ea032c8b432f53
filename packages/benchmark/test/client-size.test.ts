import { expect, test } from 'vitest';
import { bundleInParts, gzipBytes } from '../src/size/browser-bundle.ts';
import { measureClientParts } from '../src/size/client-size.ts';

/** Bytes by gzip, a little above what it takes. Larger ones are a decision, not an accident. */
const BUDGETS: Readonly<Record<string, number>> = {
  'connect and call': 21_100,
  'when needed: answering': 11_800,
  'when needed: beyond': 5850,
  'when needed: channels': 6900,
  'when needed: recorder': 4900,
  'when needed: recovery': 2400,
  'when needed: subscriptions': 4550,
};

test('what a page loads at once, and each part when it needs it, keeps to its budget', async () => {
  const figures = await measureClientParts(['lumenize'], ['@lumenize/source']);
  expect(figures.map(({ scenario }) => scenario).toSorted()).toEqual(Object.keys(BUDGETS).toSorted());
  const over = figures.filter(({ scenario, value }) => value > BUDGETS[scenario]);
  expect(over.map(({ scenario, value }) => `${scenario}: ${value}`)).toEqual([]);
  expect(figures.every(({ scenario, value }) => value > BUDGETS[scenario] * 0.85)).toBe(true);
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
