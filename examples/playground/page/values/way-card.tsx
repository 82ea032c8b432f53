import { formatBytes } from '../ui/format.ts';
import type { Way } from './exchange.ts';
import { showValue } from './show-value.ts';

/** What one way made of the value: whole, with differences, or refused. */
export function WayCard({ way: { name, how, carried } }: { readonly way: Way }) {
  const verdict = 'refused' in carried ? 'refused' : carried.lost.length === 0 ? 'whole' : 'changed';
  return (
    <article class="way" data-verdict={verdict}>
      <header>
        <h3>{name}</h3>
        <p class="verdict">{VERDICTS[verdict]}</p>
      </header>
      <p class="note">
        <code>{how}</code>
      </p>
      {'refused' in carried ? (
        <p class="said">{carried.refused}</p>
      ) : (
        <>
          {carried.lost.length > 0 && (
            <ul class="said">
              {carried.lost.map((each) => (
                <li key={each}>{each}</li>
              ))}
            </ul>
          )}
          <pre class="value">{showValue(carried.arrived)}</pre>
          <p class="note">{carried.bytes === undefined ? 'No bytes leave the browser' : formatBytes(carried.bytes)}</p>
        </>
      )}
    </article>
  );
}

const VERDICTS = { whole: 'Arrived as it left', changed: 'Arrived changed', refused: 'Refused' };
