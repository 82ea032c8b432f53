import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import { expect, it } from 'vitest';
import { SIZE } from '../src/families/size.ts';
import { measureQuickly } from './support/quickly.ts';

it('sizes every entry and the packages, of both subjects', { timeout: 180_000 }, async () => {
  const { rows } = await measureQuickly(SIZE);
  const of = (name: string) => rows.filter(({ subject }) => subject === name);
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'packages/rpc/package.json'), 'utf8'));
  const entries = Object.keys(exports).filter((path) => !path.startsWith('./testing'));
  // Every entry, the codec's two, what serving takes, what Cap'n Web has, and the package; and what a page loads when.
  const scenarios = of('lumenize').map(({ scenario }) => scenario);
  expect(scenarios.filter((each) => !/^connect|^when/.test(each))).toHaveLength(entries.length + 5);
  const loaded = scenarios.filter((each) => /^connect|^when/.test(each));
  const parts = readdirSync(join(ROOT, 'packages/rpc/dist/parts')).filter((file) => file.endsWith('.js'));
  const needed = parts.map((file) => `when needed: ${basename(file, '.js')}`).sort();
  expect(loaded.toSorted()).toEqual(['connect and call', ...needed]);
  expect(of('capnweb').map(({ scenario, host }) => `${scenario}, ${host}`)).toEqual([
    'package, node',
    'connect and call, browser',
    'what Cap’n Web has, browser',
    'all of client, browser',
    'all of server, workerd',
    'serve a target, workerd',
  ]);
  for (const { scenario, value = 0, detail = {} } of rows) {
    if (scenario === 'package') {
      expect(detail.packedBytes).toBeLessThan(value);
      expect(detail.files).toBeGreaterThan(5);
    } else {
      expect(value, scenario).toBeGreaterThan(300);
      expect(value, scenario).toBeLessThan(detail.minifiedBytes);
      expect(detail.brotliBytes, scenario).toBeLessThan(detail.minifiedBytes);
    }
  }
});

it('sizes one subject where only one is wanted', { timeout: 180_000 }, async () => {
  const { rows } = await measureQuickly(SIZE, { subjects: ['capnweb'] });
  expect(new Set(rows.map(({ subject }) => subject))).toEqual(new Set(['capnweb']));
});
