import { formatBytes, formatCount, formatMs } from '../ui/format.ts';
import type { Contestant } from './race.ts';
import type { Scenario } from './scenarios.ts';
import type { Result, Standing } from './standing.ts';

export const NAMES: Readonly<Record<Contestant, string>> = { lumenize: 'Lumenize RPC', capnweb: 'Cap’n Web' };

const ROWS: readonly { readonly label: string; readonly show: (result: Result) => string }[] = [
  { label: 'Calls a second', show: ({ callsPerSecond }) => formatCount(callsPerSecond) },
  { label: 'Time of a turn', show: ({ turnMs }) => formatMs(turnMs) },
  { label: '19 of 20 turns within', show: ({ p95Ms }) => formatMs(p95Ms) },
  { label: 'Frames up a turn', show: ({ perTurn }) => formatCount(perTurn.framesUp) },
  { label: 'Frames down a turn', show: ({ perTurn }) => formatCount(perTurn.framesDown) },
  { label: 'Bytes up a turn', show: ({ perTurn }) => formatBytes(perTurn.bytesUp) },
  { label: 'Bytes down a turn', show: ({ perTurn }) => formatBytes(perTurn.bytesDown) },
];

/** How the race stands, in a sentence and in a table. */
export function RaceResult({ standing, scenario }: { readonly standing: Standing; readonly scenario: Scenario }) {
  const { ratio, results, rounds } = standing;
  return (
    <>
      <p class="ratio">
        <strong>{formatCount(ratio.median)} ×</strong>{' '}
        <span>
          the calls a second of Cap’n Web: the median of {rounds === 1 ? 'one round' : `${rounds} rounds`}, which lay
          between {formatCount(ratio.least)} and {formatCount(ratio.most)}
        </span>
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">A turn is {scenario.calls === 1 ? 'one call' : `${scenario.calls} calls`}</th>
            <th scope="col">{NAMES.lumenize}</th>
            <th scope="col">{NAMES.capnweb}</th>
          </tr>
        </thead>
        <tbody>
          {ROWS.map(({ label, show }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{show(results.lumenize)}</td>
              <td>{show(results.capnweb)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
