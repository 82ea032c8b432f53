import { ConnectionBadge } from '../ui/connection-badge.tsx';
import { Switch } from '../ui/switch.tsx';
import { Unreachable } from '../ui/unreachable.tsx';
import type { LiveCounter } from './live-counter.ts';

/** The connection: how it is, what it has carried, and how to break it. */
export function ConnectionPanel({ counter }: { readonly counter: LiveCounter }) {
  const { cable, state } = counter.connection;
  const { framesSent, framesReceived, bytesSent, bytesReceived, reconnects } = counter.statistics.value;
  return (
    <div class="counter-line">
      <div class="block">
        <div class="counter-state">
          <h2>The connection</h2>
          <ConnectionBadge state={state} />
        </div>
        <Switch
          label="Cable plugged in"
          isOn={cable.isJoined.value}
          onChange={(isOn) => (isOn ? cable.join() : cable.cut())}
        />
        <p class="note">
          Unplugged, the socket is closed underneath and every new one fails, as in a tunnel. Calls wait for ten
          seconds.
        </p>
        <button
          type="button"
          aria-pressed={cable.losesAnswer.value}
          disabled={!cable.isJoined.value}
          onClick={() => cable.loseNextAnswer(!cable.losesAnswer.value)}
        >
          Lose the next answer
        </button>
        <p class="note">The worst moment: the call has run, its answer is on the way, and the connection breaks.</p>
        <Unreachable connection={counter.connection} />
      </div>
      <dl class="figures block">
        <div>
          <dt>Frames</dt>
          <dd>
            <UpDown up={framesSent} down={framesReceived} />
          </dd>
        </div>
        <div>
          <dt>Bytes</dt>
          <dd>
            <UpDown up={bytesSent} down={bytesReceived} />
          </dd>
        </div>
        <div>
          <dt>Made again</dt>
          <dd>{reconnects} ×</dd>
        </div>
      </dl>
    </div>
  );
}

function UpDown({ up, down }: { readonly up: number; readonly down: number }) {
  return (
    <>
      <span aria-hidden="true">↑ </span>
      <span class="visually-hidden">sent </span>
      {up.toLocaleString('en')} <span aria-hidden="true">↓ </span>
      <span class="visually-hidden">received </span>
      {down.toLocaleString('en')}
    </>
  );
}
