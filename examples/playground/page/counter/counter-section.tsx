import type { SectionProps } from '../sections.ts';
import { CallList } from './call-list.tsx';
import { CALLS } from './calls.ts';
import { ConnectionPanel } from './connection-panel.tsx';
import { Elsewhere } from './elsewhere.tsx';
import { useLiveCounter } from './live-counter.ts';

export function CounterSection({ name }: SectionProps) {
  const counter = useLiveCounter(name);
  const { value } = counter.value;
  const digits = String(value ?? 0).length;
  return (
    <>
      <div class="counter-top">
        <div>
          <output class="counter-value" aria-label="Value" style={{ '--digits': digits }}>
            {value ?? '–'}
          </output>
          <ul class="counter-calls">
            {CALLS.map((call, place) => (
              <li key={call.code}>
                <button type="button" class={place === 0 ? 'primary' : ''} onClick={() => counter.make(call)}>
                  {call.label}
                </button>
                <p>
                  <code>{call.code}</code> <span class="tag">{call.delivery}</span>
                  <span class="note">{call.promise}</span>
                </p>
              </li>
            ))}
          </ul>
        </div>
        <div>
          <ConnectionPanel counter={counter} />
          <CallList log={counter.log} />
        </div>
      </div>
      <Elsewhere name={name} />
    </>
  );
}
