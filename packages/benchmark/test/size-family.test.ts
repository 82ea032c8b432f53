import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import { expect, it } from 'vitest';
import { SIZE } from '../src/families/size.ts';

const SILENT = { start() {}, update() {}, stop() {} };

it('sizes every entry and the packages, of both subjects', { timeout: 60_000 }, async () => {
  const found = await SIZE.measure({ extent: 'quick', seed: 1, progress: SILENT });
  const of = (subject: string) => found.results.filter((each) => each.subject === subject);
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'packages/rpc/package.json'), 'utf8'));
  const entries = Object.keys(exports).filter((path) => !path.startsWith('./testing'));
  // Every entry, what serving takes, and the package; and what a page loads at once and when it needs it.
  const scenarios = of('lumenize').map(({ scenario }) => scenario);
  expect(scenarios.filter((each) => !/^connect|^when/.test(each))).toHaveLength(entries.length + 2);
  const loaded = scenarios.filter((each) => /^connect|^when/.test(each));
  const parts = readdirSync(join(ROOT, 'packages/rpc/dist/parts')).filter((file) => file.endsWith('.js'));
  expect(loaded.toSorted()).toEqual([
    'connect and call',
    ...parts.map((file) => `when needed: ${basename(file, '.js')}`).sort(),
  ]);
  expect(of('capnweb').map(({ scenario, host }) => `${scenario}, ${host}`)).toEqual([
    'package, node',
    'connect and call, browser',
    'all of client, browser',
    'all of server, workerd',
    'serve a target, workerd',
  ]);
  for (const { scenario, value, detail } of found.results) {
    if (scenario === 'package') {
      expect(detail.packedBytes).toBeLessThan(value);
      expect(detail.files).toBeGreaterThan(5);
    } else {
      expect(value, scenario).toBeGreaterThan(300);
      expect(value, scenario).toBeLessThan(detail.minifiedBytes);
      expect(detail.brotliBytes, scenario).toBeLessThan(detail.minifiedBytes);
    }
  }

  const { results, analysis, bars } = SIZE.entry(found);
  const atOnce = of('lumenize').find(({ scenario }) => scenario === 'connect and call')!;
  expect(bars).toMatchObject([{ name: 'client bundle, gzip', measured: `${atOnce.value} B` }]);
  expect(results.split('\n').filter((line) => line.startsWith('all of client'))).toHaveLength(2);
  expect(results).toContain('Packages, in bytes');
  expect(analysis[0]).toMatch(/^Installed: Lumenize RPC .* kB in \d+ files and Cap'n Web/);
});

it('sizes one subject where only one is wanted', { timeout: 60_000 }, async () => {
  const found = await SIZE.measure({ extent: 'quick', seed: 1, subjects: ['capnweb'], progress: SILENT });
  expect(new Set(found.results.map(({ subject }) => subject))).toEqual(new Set(['capnweb']));
  expect(SIZE.entry(found)).toMatchObject({ analysis: [expect.any(String)], bars: [] });
});

it('says that it knows no other subject', async () => {
  const measured = SIZE.measure({ extent: 'quick', seed: 1, subjects: ['raw'], progress: SILENT });
  await expect(measured).rejects.toThrow('no subject of the family size is called raw');
});
