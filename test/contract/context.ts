import type { CallOptions, ConnectOptions, Stub } from '@lumenize/rpc';
import type { ContractTarget } from './contract-target.ts';
import type { ConnectContract, Counts, Library } from './library.ts';
import { IN_WORKERD } from './runtime.ts';

/** Round trips after which something that was waited for has not happened. */
const ROUND_TRIPS = 200;

// biome-ignore lint/suspicious/noExplicitAny: for what types forbid, and for what they do not know yet
export type Untyped = any;

/** What a case has to work with: a fresh connection to a fresh target. */
export interface CaseContext {
  readonly stub: Stub<ContractTarget>;
  readonly untyped: Untyped;
  /** The base of targets on the client's side. */
  readonly RpcTarget: Library['RpcTarget'];
  /** Connects once more, to another fresh target; closed when the case ends. */
  connect(options?: ConnectOptions): Untyped;
  /** Ends the case's first connection, from the client. */
  close(): void;
  /** Runs something and returns the frames that it took. */
  frames(run: () => unknown): Promise<{ up: number; down: number }>;
  /** What the client's side counts. */
  counts(): Counts;
  /** What the server's side of the same connection counts. */
  serverCounts(): Promise<Counts>;
  /** The case's stub with options for the calls that are made through it. */
  withOptions(options: CallOptions): Untyped;
  /** A name that no other case has, for what is noted beyond a target's life. */
  readonly key: string;
  /** What has been noted under this case's key on the server, by targets of all connections. */
  journal(): Promise<string[]>;
  /** Asks again and again, a round trip each time, until the answer is right; throws when it does not become so. */
  until<T>(ask: () => T | Promise<T>, isRight: (answer: T) => boolean): Promise<T>;
  /** Rejections that nobody handled while something ran. */
  unhandledRejections(run: () => unknown): Promise<unknown[]>;
  collectGarbage(): Promise<void>;
}

/** Makes a case's context. `end` ends all its connections; no `[Symbol.dispose]`, which not every engine has. */
export function createContext(connect: ConnectContract, library: Library): CaseContext & { end(): void } {
  const connections: Untyped[] = [];
  const connectOnce = (options?: ConnectOptions) => {
    const connected = connect(options);
    connections.push(connected);
    return connected;
  };
  const stub: Untyped = connectOnce();
  let observer: Untyped;
  const key = crypto.randomUUID();
  const until: CaseContext['until'] = async (ask, isRight) => {
    for (let trip = 0; trip < ROUND_TRIPS; trip++) {
      const answer = await ask();
      if (isRight(answer)) return answer;
      // One that does not need the network must let others go on as well.
      await nextTask();
    }
    throw new Error(`it has not happened within ${ROUND_TRIPS} round trips; the last answer: ${await ask()}`);
  };
  return {
    stub,
    untyped: stub,
    RpcTarget: library.RpcTarget,
    connect: connectOnce,
    close: () => stub[Symbol.dispose](),
    async frames(run) {
      await stub.ran();
      const before = library.counts(stub);
      await run();
      const after = library.counts(stub);
      return { up: after.framesSent - before.framesSent, down: after.framesReceived - before.framesReceived };
    },
    counts: () => library.counts(stub),
    serverCounts: () => stub.counts(),
    withOptions: (options) => library.withOptions(stub, options),
    key,
    journal() {
      observer ??= connectOnce();
      return observer.journal(key);
    },
    until,
    async unhandledRejections(run) {
      const found: unknown[] = [];
      const stop = onUnhandledRejection((reason) => found.push(reason));
      try {
        await run();
        // They are reported when the jobs of a task are done.
        await nextTask();
        await nextTask();
      } finally {
        stop();
      }
      return found;
    },
    async collectGarbage() {
      // What was in use in this task is kept until it ends; who wants to know of what was collected is told in another.
      await nextTask();
      findCollector()!();
      await nextTask();
    },
    end() {
      for (const each of connections) each[Symbol.dispose]();
    },
  };
}

/** Resolves when the tasks that are due have run. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

interface NodeProcess {
  on?(event: string, listener: (reason: unknown) => void): void;
  off?(event: string, listener: (reason: unknown) => void): void;
  getBuiltinModule?(name: string): Untyped;
}

const node = (globalThis as { process?: NodeProcess }).process;

function onUnhandledRejection(listener: (reason: unknown) => void): () => void {
  if (node?.on !== undefined && !IN_WORKERD) {
    node.on('unhandledRejection', listener);
    return () => node.off!('unhandledRejection', listener);
  }
  const target = globalThis as unknown as EventTarget;
  const onEvent = (event: Event) => listener((event as Event & { reason: unknown }).reason);
  target.addEventListener('unhandledrejection', onEvent);
  return () => target.removeEventListener('unhandledrejection', onEvent);
}

/** The function that collects garbage now; undefined where there is none. */
export function findCollector(): (() => void) | undefined {
  const { gc } = globalThis as { gc?: () => void };
  if (gc !== undefined || IN_WORKERD) return gc;
  const v8 = node?.getBuiltinModule?.('node:v8');
  if (v8 === undefined) return undefined;
  v8.setFlagsFromString('--expose-gc');
  return node!.getBuiltinModule!('node:vm').runInNewContext('gc');
}
