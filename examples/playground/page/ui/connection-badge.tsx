import type { ConnectionState } from '@lumenize/rpc';
import type { ReadonlySignal } from '@preact/signals';

const LABELS: Record<ConnectionState, string> = {
  idle: 'Not connected',
  connecting: 'Connecting …',
  open: 'Connected',
  reconnecting: 'Connection lost, trying again …',
  closed: 'Closed',
};

/** Says how a connection is. */
export function ConnectionBadge({ state }: { readonly state: ReadonlySignal<ConnectionState> }) {
  return (
    <p class="state" data-state={state.value} role="status">
      {LABELS[state.value]}
    </p>
  );
}
