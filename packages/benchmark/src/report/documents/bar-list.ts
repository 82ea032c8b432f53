import type { BarResult } from '../../log/bar-result.ts';
import { clientSizeBar } from '../../log/bars.ts';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { figureResults } from '../figures.ts';

/** Lists the bars that must be reached and were not, but for those of codecs: of them how many. */
export function missedBars(run: RecordedRun): string {
  const bars = barsOf(run);
  const [codecs, others] = [bars.filter(isOfCodec), bars.filter((bar) => !isOfCodec(bar))];
  const lines = others
    .filter(isMissed)
    .map(({ name, must, measured }) => `- **${name}**: ${measured}, must be ${must}`);
  const missed = codecs.filter(isMissed).length;
  if (missed > 0) {
    lines.push(
      `- **the codec by itself**: ${missed} of ${codecs.length} bars against JSON and other codecs, [those here](docs/benchmarks.md#codecs)`,
    );
  }
  return lines.length > 0 ? lines.join('\n') : 'None, in this entry.';
}

/** Lists the bars of codecs that were not reached. */
export function missedCodecBars(run: RecordedRun): string {
  const missed = barsOf(run).filter((bar) => isOfCodec(bar) && isMissed(bar));
  return missed.map(({ name, must, measured }) => `- ${name}: ${measured}, must be ${must}`).join('\n');
}

function barsOf(run: RecordedRun): readonly BarResult[] {
  const bars = (run as { readonly bars?: readonly BarResult[] }).bars ?? [];
  const client = figureResults(run).find(
    ({ family, scenario, subject }) => family === 'size' && scenario === 'connect and call' && subject === 'lumenize',
  );
  const size = client && clientSizeBar(client.value);
  return size && !bars.some(({ name }) => name === size.name) ? [...bars, size] : bars;
}

function isOfCodec({ name }: BarResult): boolean {
  return /^(Node|workerd): /.test(name);
}

function isMissed({ outcome }: BarResult): boolean {
  return outcome === 'missed';
}
