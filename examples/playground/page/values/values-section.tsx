import { sizeOf } from '../race/traffic.ts';
import type { SectionProps } from '../sections.ts';
import { ConnectionBadge } from '../ui/connection-badge.tsx';
import { formatBytes } from '../ui/format.ts';
import { FrameText } from '../ui/frame-text.tsx';
import { Unreachable } from '../ui/unreachable.tsx';
import { EXAMPLES } from './examples.ts';
import type { Exchange } from './exchange.ts';
import { showValue } from './show-value.ts';
import { useLab } from './use-lab.ts';
import { WayCard } from './way-card.tsx';

/** Any value, there and back, beside what others make of it. */
export function ValuesSection({ name }: SectionProps) {
  const { connection, expression, problem, result, send } = useLab(name, EXAMPLES[0].expression);
  return (
    <div class="stack values">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <fieldset class="plain">
          <legend class="note">Examples</legend>
          <div class="row examples">
            {EXAMPLES.map((example) => (
              <button
                key={example.label}
                type="button"
                aria-pressed={expression.value === example.expression}
                onClick={() => {
                  expression.value = example.expression;
                  void send();
                }}
              >
                {example.label}
              </button>
            ))}
          </div>
        </fieldset>
        <div class="field">
          <label for="expression">A JavaScript expression, evaluated in this page only</label>
          <textarea
            id="expression"
            class="mono"
            rows={Math.min(10, Math.max(2, expression.value.split('\n').length))}
            spellcheck={false}
            autocapitalize="off"
            value={expression.value}
            aria-describedby="expression-hint"
            onInput={(event) => {
              expression.value = event.currentTarget.value;
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
            }}
          />
        </div>
        <div class="row">
          <button type="submit" class="primary">
            Send it
          </button>
          <p class="note" id="expression-hint">
            or Ctrl + Enter
          </p>
          <ConnectionBadge state={connection.state} />
          <Unreachable connection={connection} />
        </div>
      </form>
      {problem.value && (
        <p class="notice" role="alert">
          {problem.value}
        </p>
      )}
      {result.value && <ExchangeView exchange={result.value} />}
    </div>
  );
}

function ExchangeView({ exchange: { sent, ways, frames } }: { readonly exchange: Exchange }) {
  return (
    <>
      <div class="block">
        <h2>Sent</h2>
        <pre class="value sent">{showValue(sent)}</pre>
      </div>
      <div class="block" aria-live="polite">
        <h2>What arrives</h2>
        <div class="ways">
          {ways.map((way) => (
            <WayCard key={way.name} way={way} />
          ))}
        </div>
        <p class="note">
          Lumenize RPC’s bytes are the whole frame of the answer. Cap’n Web is asked without a session, and refuses what
          it sends by one, such as a Blob.
        </p>
      </div>
      <div class="block frames">
        <h2>On the wire</h2>
        {frames.length === 0 && <p class="note">Nothing was sent.</p>}
        {frames.map(({ message, direction, timeMs }, i) => (
          <details key={timeMs} open={i === 0}>
            <summary>
              {direction === 'up' ? 'Up' : 'Down'}, {formatBytes(sizeOf(message))}
            </summary>
            <FrameText message={message} />
          </details>
        ))}
      </div>
    </>
  );
}
