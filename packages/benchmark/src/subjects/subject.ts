import type { Receiver, Work } from '../work/work.ts';

/** The features that Lumenize RPC is measured with, one at a time, with their descriptions in the log. */
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

/** The names of all features. */
export const FEATURE_NAMES = Object.keys(FEATURES) as Feature[];

/** The subjects whose client is a Worker. */
export type InWorkerSubject = 'lumenize-native' | 'native';

/**
 * The subjects of the comparison. `raw-one-frame` is `raw` with all calls of a turn in one frame, the lower bound of a
 * burst. Subjects with `-plain` have sockets without compression, like Lumenize RPC. `floor` is `raw-plain` in a module of its own. `native` is the platform's own RPC
 * from a Worker to an object. Features are Lumenize RPC with only that feature.
 */
export type SubjectName =
  | `lumenize${'' | '-accept' | '-batches' | '-http' | '-port'}`
  | `capnweb${'' | '-plain' | '-http' | '-port'}`
  | `raw${'' | '-accept' | '-plain' | '-one-frame' | '-port'}`
  | InWorkerSubject
  | 'earlier'
  | 'floor'
  | Feature;

/** One client's connection to one object. */
export interface Connection {
  /** The object's methods. Over HTTP, each read is for the calls of another turn. */
  readonly work: Work;
  /** Starts `n` increments within one turn of the event loop, and resolves with their results in order. */
  incrementInOneTurn(n: number): Promise<readonly number[]>;
  /** Subscribes to events. Only for subjects of the families *events* and *latency*. */
  readonly subscribe?: Subscribe | undefined;
  /** Closes the socket without waiting for the other side. */
  close(): void;
}

/** Subscribes a receiver to the events of an object. Resolves when all events published from then on will arrive. */
export type Subscribe = <Event>(receiver: Receiver<Event>) => Promise<void>;

/** The time of a block and of each of its samples. */
export interface BlockTimes {
  readonly totalMs: number;
  readonly samplesMs: readonly number[];
}

/** A way to call the counter. Subjects with a WebSocket use the platform's, looked up when they connect. */
export interface Subject {
  readonly name: SubjectName;
  /** The carrier of calls. Frames are only counted for sockets. */
  readonly carrier: 'socket' | 'http' | 'port' | 'binding';
  /**
   * Connects to the object called `instance` behind `baseUrl` (`http://…`). With a token, connects to the gateway of
   * that name in the subject's own way. Only subjects of the family *latency* support tokens.
   */
  connect(baseUrl: string, instance: string, token?: string): Connection | Promise<Connection>;
  /** Scenarios that sometimes never end, for a known reason. Such a block is recorded, and the run continues. */
  readonly mayHang?: { readonly scenarios: RegExp; readonly afterMs: number; readonly because: string };
  /**
   * Runs whole blocks of the scenario elsewhere. Subjects have it if their client is in a Worker. `connect` is then not
   * called.
   */
  readonly runBlock?: (scenario: string, baseUrl: string, instance: string) => Promise<BlockTimes>;
}

/** Creates a connection from a stub that exists as long as the connection is open. With `subscribe`, it has events. */
export function connectionOf(stub: unknown, close: () => void, subscribe?: Subscribe): Connection {
  const work = stub as Work;
  return { work, incrementInOneTurn: (n) => callEach(n, () => work.increment()), subscribe, close };
}

/** Makes `n` calls without a pause between them, and resolves with their results in order. */
export function callEach(n: number, call: () => PromiseLike<number>): Promise<number[]> {
  const calls: PromiseLike<number>[] = [];
  for (let i = 0; i < n; i++) calls.push(call());
  return Promise.all(calls);
}

/** Thrown if a subject does not support a scenario. The run does not fail, and the row has the reason. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

/** The reason why the objects of some subjects cannot hibernate. */
export const IN_MEMORY = 'an object with an open connection of it stays in memory';

/** Codes with which Lumenize RPC refuses something, before or after sending. */
const REFUSALS: ReadonlySet<unknown> = new Set(['NOT_CLONEABLE', 'METHOD_NOT_FOUND', 'REFERENCE_LOST', 'TOO_LARGE']);

/** Matches Cap'n Web's message for a missing method. */
const NO_METHOD = /^'[\w.]+' is not a function\.$/;

/**
 * Returns the first line of the reason if `error` means that the subject does not support it, or undefined if it is a
 * failure.
 */
export function unavailableBecause(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const isRefusal = REFUSALS.has((error as { code?: unknown }).code) || NO_METHOD.test(error.message);
  return error instanceof Unavailable || isRefusal ? error.message.split('\n')[0] : undefined;
}

/** A request to the Worker to run a block, as JSON. */
export type BlockRequest = readonly [scenario: string, subject: InWorkerSubject, instance: string];

/** The status with which the Worker reports that the subject does not support the scenario. */
export const NOT_IMPLEMENTED = 501;

/** Creates a subject whose blocks run in the Worker, beside the object. This process only requests them. */
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
