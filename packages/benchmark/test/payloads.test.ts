import { describe, expect, it } from 'vitest';
import { findDifference } from '../../../tools/difference/find-difference.ts';
import { PAYLOADS, payloadNamed } from '../src/payloads/all.ts';

const json = (name: string) => JSON.stringify(payloadNamed(name).make());

describe('payloads', () => {
  it.each([...PAYLOADS.keys()])('are the same every time: %s', (name) => {
    expect(findDifference(payloadNamed(name).make(), payloadNamed(name).make())).toBeUndefined();
  });

  it.each([
    ['rows-200', 14_000, 15_000],
    ['rows-distinct', 14_000, 15_000],
    ['tree', 4800, 5200],
    ['small-object', 29, 29],
    ['rows-64B', 55, 75],
    ['rows-1MiB', 1_000_000, 1_100_000],
  ])('have the size in JSON that they are said to have: %s', (name, least, most) => {
    expect(json(name).length).toBeGreaterThanOrEqual(least);
    expect(json(name).length).toBeLessThanOrEqual(most);
  });

  it('have the size in bytes that they are said to have', () => {
    expect(new TextEncoder().encode(payloadNamed('text-60kB').make() as string).byteLength).toBeCloseTo(60_000, -2);
    expect(payloadNamed('text-16KiB').make()).toHaveLength(16_384);
    expect(payloadNamed('bytes-1MiB').make()).toHaveLength(2 ** 20);
  });

  it('repeat text in rows as a database does, and hardly in distinct ones', () => {
    const texts = (name: string) =>
      (payloadNamed(name).make() as { name: string; city: string }[]).flatMap((row) => [row.name, row.city]);
    expect(new Set(texts('rows-200')).size).toBe(100 + 20);
    expect(new Set(texts('rows-16KiB')).size).toBeGreaterThan(100 + 20);
    expect(new Set(texts('rows-distinct')).size).toBeGreaterThan(395);
  });
});
