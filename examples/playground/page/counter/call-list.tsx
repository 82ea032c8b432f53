import type { CallLog, Step } from './call-log.ts';

const MARKS: Record<Step['kind'], string> = {
  waiting: '…',
  sent: '↑',
  lost: '×',
  'sent again': '↑',
  answered: '✓',
  unknown: '?',
  failed: '×',
};

/** What has become of each call, newest first. */
export function CallList({ log }: { readonly log: CallLog }) {
  const calls = log.calls.value;
  return (
    <div class="call-list block">
      <h2 id="call-list-title">What became of each call</h2>
      {calls.length === 0 && (
        <p class="note">
          Nothing yet. Try this: choose <em>Lose the next answer</em>, then <em>+1</em>; then the same with{' '}
          <em>+1, once</em>.
        </p>
      )}
      <ol aria-labelledby="call-list-title" aria-live="polite" aria-relevant="additions">
        {calls.map(({ id, code, delivery, steps }) => (
          <li key={id} class="call">
            <p>
              <code>{code}</code> <span class="tag">{delivery}</span>
            </p>
            <ol>
              {steps.map(({ kind, atMs, text }) => (
                <li key={`${kind} ${atMs}`} class="step" data-kind={kind}>
                  <span class="step-mark" aria-hidden="true">
                    {MARKS[kind]}
                  </span>
                  <time>{formatMs(atMs)}</time>
                  <span class="step-text">{text}</span>
                </li>
              ))}
            </ol>
          </li>
        ))}
      </ol>
    </div>
  );
}

function formatMs(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
