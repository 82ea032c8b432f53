import { type ConnectionState, type ConnectOptions, connection, type RpcError, type Stub } from '@lumenize/rpc';
import { connectSocket } from '@lumenize/rpc/socket';
import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { frameLog } from '../inspector/frame-log.ts';
import { Cable, type CableEvents } from './cable.ts';

/** A connection of this page, whose state its components can show. */
export interface PageConnection<Api extends object> {
  readonly stub: Stub<Api>;
  readonly cable: Cable;
  readonly state: ReadonlySignal<ConnectionState>;
  /** Why there is no connection, where there is none. */
  readonly reason: ReadonlySignal<RpcError | undefined>;
  /** Ends it for good. */
  close(): void;
}

/** Connects to an object of this Worker through a cable of its own: `binding` and `name` as in `/rpc/counter/main`. */
export function openConnection<Api extends object>(
  binding: string,
  name: string,
  options: ConnectOptions & CableEvents = {},
): PageConnection<Api> {
  const { onSent, onReceived, onLost, awaitsAnswer, ...connectOptions } = options;
  const cable = new Cable({ onSent, onReceived, onLost, awaitsAnswer });
  const state = signal<ConnectionState>('idle');
  const reason = signal<RpcError | undefined>();
  const url = addressOf(binding, name);
  const record = frameLog.recorder(`${binding}/${name}`);
  const stub = connectSocket<Api>((protocols) => cable.open(url, protocols), {
    ...connectOptions,
    // Whatever a section records, the inspector shows it too.
    wrapTransport: (open) => record(connectOptions.wrapTransport?.(open) ?? open),
    onStateChange(next, why) {
      batch(() => {
        state.value = next;
        reason.value = why;
      });
      connectOptions.onStateChange?.(next, why);
    },
  });
  // As a page does whose network is back: it does not wait for its next attempt.
  const stopJoining = cable.isJoined.subscribe((isJoined) => {
    if (isJoined && state.peek() === 'reconnecting') connection(stub).open();
  });
  return {
    stub,
    cable,
    state,
    reason,
    close() {
      stopJoining();
      connection(stub).close();
    },
  };
}

/** The address of an object of this Worker, for sockets. */
export function addressOf(binding: string, name: string): string {
  return `${location.origin.replace(/^http/, 'ws')}/rpc/${binding}/${encodeURIComponent(name).replaceAll("'", '%27')}`;
}
