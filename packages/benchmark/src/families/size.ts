import { expectOneOf } from '../blocks/selection.ts';
import { measureClientParts } from '../size/client-size.ts';
import { measureEntrySizes } from '../size/entry-sizes.ts';
import { measurePackageSize } from '../size/package-size.ts';
import { sizeEntry } from '../size/size-entry.ts';
import type { SizeFigure } from '../size/size-figure.ts';
import type { Family, FamilyFindings } from './family.ts';

const SUBJECTS = ['lumenize', 'capnweb'] as const;

interface SizeFindings extends FamilyFindings {
  readonly results: readonly SizeFigure[];
}

/** What is installed, and what pages and Workers load. Nothing is timed. */
export const SIZE: Family<SizeFindings> = {
  name: 'size',
  about: 'packages installed; bundles of every entry for pages and Workers, min, gzip and brotli',
  subjects: SUBJECTS,
  hosts: ['workerd'],
  async measure({ subjects = SUBJECTS, progress }) {
    const wanted = subjects.map((each) => expectOneOf('subject of the family size', each, SUBJECTS));
    progress.start(1);
    try {
      // Sizes are the same however busy the machine is.
      const [parts, entries, ...packages] = await Promise.all([
        measureClientParts(wanted),
        measureEntrySizes(wanted),
        ...wanted.map(measurePackageSize),
      ]);
      return { results: [...packages, ...parts, ...entries], comparisons: [], launches: [] };
    } finally {
      progress.stop();
    }
  },
  entry: ({ results }) => sizeEntry(results),
};
