import { textTable } from '../../../../tools/text-table/text-table.ts';
import type { FamilyEntry } from '../families/family.ts';
import { clientSizeBar } from '../log/bars.ts';
import { list } from '../log/format.ts';
import { subjectName } from '../log/names.ts';
import { AT_ONCE } from './client-size.ts';
import type { SizeFigure } from './size-figure.ts';

/** Puts sizes into words and tables. */
export function sizeEntry(figures: readonly SizeFigure[]): FamilyEntry {
  const packages = figures.filter(({ scenario }) => scenario === 'package');
  const bundles = figures.filter(({ scenario }) => scenario !== 'package');
  const client = bundles.find(({ scenario, subject }) => scenario === AT_ONCE && subject === 'lumenize');
  return {
    configuration: [
      'Packages: as npm packs them; of Lumenize RPC @lumenize/rpc and @lumenize/structured-clone together, of Cap’n Web capnweb',
      `Bundles: one file by esbuild, minified, es2022 for a browser and es2024 for a Worker; “${AT_ONCE}” is what a page loads to do that, the sum of its files, and “when needed” what it loads beyond that when a part is first used; “all of …” has everything that an entry exports, parts included; gzip at its best level, brotli at its default, which is the best`,
    ],
    results: [packageTable(packages), bundleTable(bundles)].filter(Boolean).join('\n\n'),
    comparison: '',
    variance: ['Sizes do not vary.'],
    analysis: [...packageSentence(packages), ...bundleSentences(bundles)],
    bars: client ? [clientSizeBar(client.value)] : [],
  };
}

function packageTable(figures: readonly SizeFigure[]): string {
  if (figures.length === 0) return '';
  const rows = figures.map(({ subject, value, detail }) => [subject, value, detail.packedBytes, detail.files]);
  return `Packages, in bytes\n${textTable(['package', 'installed', 'packed', 'files'], 1, rows)}`;
}

function bundleTable(figures: readonly SizeFigure[]): string {
  if (figures.length === 0) return '';
  const rows = figures
    .toSorted((a, b) => order(figures, a) - order(figures, b))
    .map(({ scenario, subject, host, value, detail }) => {
      return [scenario, host, subject, detail.minifiedBytes, value, detail.brotliBytes];
    });
  const head = ['bundle', 'for', 'subject', 'minified', 'gzip', 'brotli'];
  return `Bundles, in bytes\n${textTable(head, 3, rows)}`;
}

/** What is compared stands together. */
function order(figures: readonly SizeFigure[], { scenario, subject }: SizeFigure): number {
  return 2 * figures.findIndex((each) => each.scenario === scenario) + (subject === 'capnweb' ? 1 : 0);
}

function packageSentence(figures: readonly SizeFigure[]): string[] {
  const parts = figures.map(
    ({ subject, value, detail }) => `${subjectName(subject)} ${kB(value)} in ${detail.files} files`,
  );
  return parts.length === 0 ? [] : [`Installed: ${list(parts)}.`];
}

function bundleSentences(figures: readonly SizeFigure[]): string[] {
  return figures
    .filter(({ subject }) => subject === 'lumenize')
    .flatMap(({ scenario, value }) => {
      const other = figures.find((each) => each.scenario === scenario && each.subject === 'capnweb');
      if (!other) return [];
      const factor = value / other.value;
      const said = factor > 1 ? `${factor.toFixed(2)} times as large` : `${(1 / factor).toFixed(2)} times smaller`;
      return [`To load “${scenario}”, by gzip: ${kB(value)} against Cap’n Web’s ${kB(other.value)}, ${said}.`];
    });
}

function kB(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
