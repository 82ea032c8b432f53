import { connectOver } from '../../src/client/connect.ts';
import type { ConnectOptions } from '../../src/client/options.ts';
import type { ServerOptions } from '../../src/server/server-options.ts';
import { Session } from '../../src/server/session.ts';
import { serverSettings } from '../../src/server/settings.ts';
import type { StoredResults } from '../../src/server/stored-results.ts';
import type { Transport, TransportEvents } from '../../src/transport/transport.ts';

/** What a message is, as far as these tests care. Bytes are told as `bytes`. */
type Told = string;

const told = (message: string | Uint8Array): Told => (typeof message === 'string' ? message : 'bytes');

/**
 * A client and a server in one process, over a connection that the test cuts, and makes again. Messages arrive in later
 * microtasks, as they are sent.
 */
export class Line {
  /** The messages that have arrived at the server and at the client, over all connections. */
  readonly up: Told[] = [];
  readonly down: Told[] = [];
  /** The sessions of the server, one for each connection. */
  readonly sessions: Session[] = [];
  /** Offers of the client, one for each attempt. */
  readonly offers: string[][] = [];
  /** Stored results of exactly-once calls, by their ids, and the ids below which they were acknowledged. */
  readonly rows = new Map<number, unknown>();
  readonly acknowledged: number[] = [];
  /** True while attempts to connect fail. */
  isDown = false;
  /** Loses the messages for which it returns true, and ends the connection with them. */
  losesUp: (message: Told) => boolean = () => false;
  losesDown: (message: Told) => boolean = () => false;
  /** Bytes that have not left the client. */
  waiting = 0;
  /** Answers of the server to questions whether it is alive. */
  isSilent = false;
  readonly #target: object;
  readonly #options: ServerOptions;
  #events: TransportEvents | undefined;

  constructor(target: object, options: ServerOptions = {}) {
    this.#target = target;
    this.#options = options;
  }

  // biome-ignore lint/suspicious/noExplicitAny: stubs are called as untyped code does, too
  connect(options: ConnectOptions = {}): any {
    return connectOver((events, offer) => this.#open(events, [...offer]), 'a line', {
      reconnect: { minDelayMs: 1, maxDelayMs: 5 },
      onStateChange: () => {},
      ...options,
    });
  }

  /** The session of the connection at hand. */
  get session(): Session {
    return this.sessions.at(-1)!;
  }

  /** Ends the connection, as a network does. */
  cut(code = 1006, reason = ''): void {
    const events = this.#events;
    this.#events = undefined;
    this.sessions.at(-1)?.closed();
    events?.closed(code, reason);
  }

  #open(events: TransportEvents, offer: string[]): Transport {
    this.offers.push(offer);
    let isOver = false;
    const guarded: TransportEvents = {
      ...events,
      closed: (code, reason) => {
        if (!isOver) events.closed(code, reason);
        isOver = true;
      },
    };
    const later = (job: () => void) => queueMicrotask(() => isOver || this.#events !== guarded || job());
    const { isDown } = this;
    queueMicrotask(() => {
      if (isOver) return;
      if (isDown) return guarded.closed(1006, '');
      this.#events = guarded;
      this.sessions.push(session());
      guarded.opened();
    });
    const session = () =>
      new Session(
        serverSettings(this.#options, (_peer, id) => {
          this.acknowledged.push(id);
          for (const row of this.rows.keys()) if (row < id) this.rows.delete(row);
        }),
        this.#target,
        {
          send: (message) =>
            later(() => {
              if (this.losesDown(told(message))) return this.cut();
              this.down.push(told(message));
              events.received(message);
            }),
          close: (code, reason) => later(() => this.cut(code, reason)),
        },
        this.#host(),
      );
    return {
      send: (message) =>
        later(() => {
          if (this.losesUp(told(message))) return this.cut();
          this.up.push(told(message));
          this.session.receive(message);
        }),
      close: (code, reason) => {
        if (this.#events === guarded) {
          this.#events = undefined;
          this.session.closed();
        }
        queueMicrotask(() => guarded.closed(code, reason));
      },
      probe: () => later(() => this.isSilent || events.alive()),
      waiting: () => this.waiting,
    };
  }

  #host(): ConstructorParameters<typeof Session>[3] {
    const stored = {
      run: (call: { callId: number }, _client: unknown, _declared: unknown, run: () => unknown) => {
        if (!this.rows.has(call.callId)) this.rows.set(call.callId, run());
        return this.rows.get(call.callId);
      },
    };
    return {
      client: { name: 'a client', attempt: this.offers.length, settled: 0 } as never,
      stored: () => stored as unknown as StoredResults,
    };
  }
}
