import { type Connection, connect, connection } from '@lumenize/rpc';

interface Counter {
  increment(by?: number): number;
}

// The script of a page that calls, and whose connection is lost.

/** What the test asks of the page. */
export interface ReconnectPage {
  /** Connects, with waits so long that nothing but an event of the page ends them. */
  connect(url: string): Promise<number>;
  increment(): Promise<number>;
  readonly states: string[];
}

const states: string[] = [];
let counter: ReturnType<typeof connect<Counter>>;
let control: Connection;

Object.assign(globalThis, {
  reconnect: {
    states,
    connect(url: string) {
      counter = connect<Counter>(url, {
        reconnect: { minDelayMs: 3_600_000, maxDelayMs: 3_600_000 },
        maxWaitMs: 60_000,
        onStateChange: (state) => states.push(state),
      });
      control = connection(counter);
      return Promise.resolve(counter.increment());
    },
    increment: () => Promise.resolve(counter.increment()),
    state: () => control.state,
  },
});
