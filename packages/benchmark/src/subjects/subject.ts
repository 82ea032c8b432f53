import type { Receiver, Work } from '../work/work.ts';

/** Features that Lumenize RPC is measured with, one at a time, as the log describes them. */
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

/** One client's connection to one object. */
export interface Connection {
  /** The object's methods; over HTTP, each time it is read, for the calls of another turn. */
  readonly work: Work;
  /** Starts `n` increments within one turn of the event loop and resolves with their results, in order. */
  incrementInOneTurn(n: number): Promise<readonly number[]>;
  /** Only of subjects of the families *events* and *latency*. */
  readonly subscribe?: Subscribe | undefined;
  /** Closes the socket, without waiting for the other side. */
  close(): void;
}

/** Tells a receiver of the events of an object from then on; resolves when all that is published then will come. */
export type Subscribe = <Event>(receiver: Receiver<Event>) => Promise<void>;

/** The time of a block and of each of its samples. */
export interface BlockTimes {
  readonly totalMs: number;
  readonly samplesMs: readonly number[];
}

/** A way to call the counter. Those that use a WebSocket open the platform's own, looked up when they connect. */
export interface Subject {
  readonly name: SubjectName;
  /** The carrier of its calls: only of sockets are frames counted. */
  readonly carrier: 'socket' | 'http' | 'port' | 'binding';
  /**
   * Connects to the object called `instance` behind `baseUrl` (`http://…`); with a token to the gateway of that name, in the way
   * that the subject has for that, which is only of subjects of the family *latency*.
   */
  connect(baseUrl: string, instance: string, token?: string): Connection | Promise<Connection>;
  /** Scenarios that sometimes never end, for a reason that is known: such a block is noted, and the run goes on. */
  readonly mayHang?: { readonly scenarios: RegExp; readonly afterMs: number; readonly because: string };
  /** Runs whole blocks, of the scenario of that name, elsewhere: of subjects whose client is itself in a Worker. `connect` is not called then. */
  readonly runBlock?: (scenario: string, baseUrl: string, instance: string) => Promise<BlockTimes>;
}

/** Makes a connection of a stub that is there for as long as it is open; with `subscribe`, it has events. */
export function connectionOf(stub: unknown, close: () => void, subscribe?: Subscribe): Connection {
  const work = stub as Work;
  return { work, incrementInOneTurn: (n) => callEach(n, () => work.increment()), subscribe, close };
}

/** Makes `n` calls without a pause between them and resolves with their results, in order. */
export function callEach(n: number, call: () => PromiseLike<number>): Promise<number[]> {
  const calls: PromiseLike<number>[] = [];
  for (let i = 0; i < n; i++) calls.push(call());
  return Promise.all(calls);
}

/** Thrown where a subject has no way to do what a scenario asks for: no failure of a run, but a row with the reason. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

/** Codes by which Lumenize RPC says, before or after sending, that it does not carry something. */
const REFUSALS: ReadonlySet<unknown> = new Set(['NOT_CLONEABLE', 'METHOD_NOT_FOUND', 'REFERENCE_LOST', 'TOO_LARGE']);

/** Cap'n Web's message for a target that has no such method. */
const NO_METHOD = /^'[\w.]+' is not a function\.$/;

/** Returns the first line of why `error` means that the subject cannot do it; undefined where it means a failure. */
export function unavailableBecause(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const isRefusal = REFUSALS.has((error as { code?: unknown }).code) || NO_METHOD.test(error.message);
  return error instanceof Unavailable || isRefusal ? error.message.split('\n')[0] : undefined;
}

/** Asks the Worker to run a block, as JSON. */
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
