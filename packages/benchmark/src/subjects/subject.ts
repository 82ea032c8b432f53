import type { GatewayConnection } from '../gateway/gateway.ts';
import type { EventsConnection, Lines, Receiver, Work } from '../work/work.ts';

/** What Lumenize RPC is measured with, one feature at a time, as the log tells it. */
export const FEATURES = {
  base: 'nothing beside calling, with the limit of a connection’s rate switched off',
  authentication:
    'an HMAC token checked at the upgrade, which is no part of a call, the identity with the connection, and a guard on the method',
  validation: 'a Valibot schema for the argument',
  'rate-limit': 'the limit of a connection that there is by default, and one for all with the same name',
  'exactly-once': 'results stored in the transaction of their effects until the client has them',
  tracing:
    'a span for each call on both sides, made by the SDK of OpenTelemetry, which exports none, and the traceparent with the call',
  all: 'all of these together',
} as const;

/** A feature, none (`base`), or `all`. */
export type Feature = keyof typeof FEATURES;

/** All of them. */
export const FEATURE_NAMES = Object.keys(FEATURES) as Feature[];

/** Subjects whose client is a Worker. */
export type InWorkerSubject = 'lumenize-native' | 'native';

/**
 * The subjects of the comparison; `raw-one-frame` is `raw` with all calls of a turn in one frame, the floor of a burst,
 * those called `-plain` have sockets that are not compressed, as Lumenize RPC's are not, and `native` the platform's own RPC from a Worker to an object. Features are Lumenize RPC with just that.
 */
export type SubjectName =
  | `lumenize${'' | '-accept' | '-batches' | '-http' | '-port'}`
  | `capnweb${'' | '-plain' | '-http' | '-port'}`
  | `raw${'' | '-accept' | '-plain' | '-one-frame' | '-port'}`
  | InWorkerSubject
  | 'earlier'
  | Feature;

/** One client's connection to one counter object. */
export interface Connection {
  increment(): PromiseLike<number>;
  getValue(): PromiseLike<number>;
  reset(): PromiseLike<unknown>;
  /** Starts `n` increments within one turn of the event loop and resolves with their results, in order. */
  incrementInOneTurn(n: number): Promise<readonly number[]>;
  /**
   * Lets `calls` make calls within one turn of the event loop and returns what it returns. Only where the Worker of the
   * families *pipeline* and *transports* is behind it, and only of libraries.
   */
  turn?<Result>(calls: (work: Work) => PromiseLike<Result>): PromiseLike<Result>;
  /** Sends a value there and back, where that is written by hand. */
  echo?(value: unknown): PromiseLike<unknown>;
  /** What the family *capacity* calls; only of its subjects, and with the Worker that it has. */
  readonly lines?: Lines;
  /** Publishes and subscribes; only of subjects of the family *events*, and with the Worker that it has. */
  readonly events?: EventsConnection;
  /** Closes the socket, without waiting for the other side. */
  close(): void;
}

/** The time of a block and of each of its samples. */
export interface BlockTimes {
  readonly totalMs: number;
  readonly samplesMs: readonly number[];
}

/** A way to call the counter. Those that use a WebSocket open the platform's own, looked up when they connect. */
export interface Subject {
  readonly name: SubjectName;
  /** What carries its calls: only of sockets are frames counted. */
  readonly carrier: 'socket' | 'http' | 'port' | 'binding';
  /** Connects to the object called `instance` behind `baseUrl` (`http://…`). */
  connect(baseUrl: string, instance: string): Connection | Promise<Connection>;
  /**
   * Connects to the gateway called `instance` with a token, in the way that the subject has for that; only of subjects of the
   * family *latency*.
   */
  connectAs?(baseUrl: string, instance: string, token: string): GatewayConnection | Promise<GatewayConnection>;
  /** Scenarios that sometimes never end, for a reason that is known: such a block is noted, and the run goes on. */
  readonly mayHang?: { readonly scenarios: RegExp; readonly afterMs: number; readonly because: string };
  /** Runs whole blocks, of the scenario of that name, elsewhere: of subjects whose client is itself in a Worker. `connect` is not called then. */
  readonly runBlock?: (scenario: string, baseUrl: string, instance: string) => Promise<BlockTimes>;
}

/** Makes a connection of a way to make the calls of one turn. */
export function connectionOver(turn: NonNullable<Connection['turn']>, close: () => void): Connection {
  return {
    increment: () => turn((work) => work.increment()),
    getValue: () => turn((work) => work.getValue()),
    reset: () => turn((work) => work.reset()),
    incrementInOneTurn: async (n) => turn((work) => callEach(n, () => work.increment())),
    turn,
    close,
  };
}

/** Tells a receiver of the events of an object from then on. */
export type Subscribe = <Event>(receiver: Receiver<Event>) => Promise<void>;

/** Makes a connection of a stub that is there for as long as it is open; with `subscribe`, it has events. */
export function connectionOf(stub: unknown, close: () => void, subscribe?: Subscribe): Connection {
  const target = stub as Work & Lines & EventsConnection;
  return {
    ...connectionOver((calls) => calls(target), close),
    lines: target,
    ...(subscribe && { events: { publish: (message) => target.publish(message), subscribe } }),
  };
}

/** Makes a gateway's connection of a stub that has its methods. */
export function gatewayOf(stub: unknown, close: () => void, listen: Subscribe): GatewayConnection {
  const user = stub as GatewayConnection;
  return {
    ping: () => user.ping(),
    whoAmI: () => user.whoAmI(),
    createSession: (request) => user.createSession(request),
    countSessions: () => user.countSessions(),
    listen,
    close,
  };
}

/** Makes `n` calls without a pause between them and resolves with their results, in order. */
export function callEach(n: number, call: () => PromiseLike<number>): Promise<number[]> {
  const calls: PromiseLike<number>[] = [];
  for (let i = 0; i < n; i++) calls.push(call());
  return Promise.all(calls);
}

/** Says that a subject has no way to do what a scenario asks for: no failure of a run, but a row that says so. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

/** Codes by which Lumenize RPC says, before or after sending, that it does not carry something. */
const REFUSALS: ReadonlySet<unknown> = new Set(['NOT_CLONEABLE', 'METHOD_NOT_FOUND', 'REFERENCE_LOST', 'TOO_LARGE']);

/** How Cap'n Web says that a target has no such method. */
const NO_METHOD = /^'[\w.]+' is not a function\.$/;

/** Returns the first line of why `error` means that the subject cannot do it; undefined where it means a failure. */
export function unavailableBecause(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const isRefusal = REFUSALS.has((error as { code?: unknown }).code) || NO_METHOD.test(error.message);
  return error instanceof Unavailable || isRefusal ? error.message.split('\n')[0] : undefined;
}

/** What the Worker is asked to run, as JSON. */
export type BlockRequest = readonly [scenario: string, subject: InWorkerSubject, instance: string];

/** The status by which it answers that the subject cannot do that. */
export const NOT_IMPLEMENTED = 501;

/** Makes a subject whose blocks run within the Worker, beside the object: this process only asks for them. */
export function inWorker(name: InWorkerSubject): Subject {
  return {
    name,
    carrier: 'binding',
    connect() {
      throw new Error(`${name} runs its blocks in the Worker`);
    },
    async runBlock(scenario, baseUrl, instance) {
      const body = JSON.stringify([scenario, name, instance] satisfies BlockRequest);
      const response = await fetch(`${baseUrl}/run-block`, { method: 'POST', body });
      if (response.ok) return (await response.json()) as BlockTimes;
      const why = await response.text();
      throw response.status === NOT_IMPLEMENTED ? new Unavailable(why) : new Error(`in the Worker: ${why}`);
    },
  };
}
