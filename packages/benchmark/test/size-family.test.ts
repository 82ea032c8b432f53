import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import { expect, it } from 'vitest';
import { BESIDE, SIZE } from '../src/families/size.ts';
import { measureQuickly } from './support/quickly.ts';

it('sizes every entry of both subjects', { timeout: 180_000 }, async () => {
  const { rows } = await measureQuickly(SIZE);
  const of = (name: string) => rows.filter(({ subject }) => subject === name);
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'packages/rpc/package.json'), 'utf8'));
  const entries = Object.keys(exports).filter((path) => !path.startsWith('./testing'));
  // Every entry, what connecting and serving take, the codec's three, the core, and what Cap'n Web has; and other packages.
  const scenarios = of('lumenize').map(({ scenario }) => scenario);
  expect(scenarios).toHaveLength(entries.length + 7 + BESIDE.length);
  expect(of('capnweb').map(({ scenario, host }) => `${scenario}, ${host}`)).toEqual([
    'connect and call, browser',
    'all of client, browser',
    'all of server, workerd',
    'serve a target, workerd',
    'what Cap’n Web has, browser',
  ]);
  for (const { scenario, value = 0, detail = {} } of rows) {
    expect(value, scenario).toBeGreaterThan(scenario.startsWith('own code of ') ? 200 : 300);
    expect(value, scenario).toBeLessThan(detail.minifiedBytes);
    expect(detail.brotliBytes, scenario).toBeLessThan(detail.minifiedBytes);
  }
});
