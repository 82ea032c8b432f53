import type { ConnectOptions } from '@lumenize/rpc';

/** The library as clients of a world see it. It must not be imported, because a world may load it in its own way. */
export type ClientLibrary = typeof import('@lumenize/rpc');

/** A fault in a world, as data. `can` tells whether a world supports it. */
export type Fault =
  /**
   * Cuts a client's connection: at once, or after `afterBytes` more bytes in a direction, which may be within a frame.
   */
  | { kind: 'cut'; client: number; direction?: Direction; afterBytes?: number }
  /** Holds back all data in these directions, like a dead link that does not report it. */
  | { kind: 'freeze'; client: number; direction: Direction | 'both'; ms: number }
  /** Delays all data in a direction from now on. */
  | { kind: 'delay'; client: number; direction: Direction; ms: number }
  /** Delivers a client's next upgrade twice, or only after the one that follows it. */
  | { kind: 'upgrade'; client: number; how: 'twice' | 'late' }
  /** Makes the object leave memory as soon as it is idle. Its sockets hibernate. */
  | { kind: 'evict' }
  /** Ends the object and its sockets. Commits that were not confirmed survive or not. */
  | { kind: 'crash'; keepsCommits: boolean }
  /** Replaces the code of the object with another version of its class, without its sockets. */
  | { kind: 'deploy' }
  /** Makes writes fail for a time. */
  | { kind: 'disk'; how: 'full' | 'failing'; ms: number }
  /** Makes application code of the object close a client's socket. */
  | { kind: 'close'; client: number; code: number }
  /** Makes the clock of a side jump. */
  | { kind: 'clock'; side: 'object' | 'clients'; ms: number }
  /** Makes a client stop reading for a time. */
  | { kind: 'slow'; client: number; ms: number }
  /** Takes a client's network away for a time. A client that is a page is told. */
  | { kind: 'offline'; client: number; ms: number }
  /** Makes a client's machine sleep: its timers wait, and its date goes on. */
  | { kind: 'sleep'; client: number; ms: number }
  /**
   * Ends a client's code and connections, like a page that is reloaded. Its state is gone, and `connect` starts again.
   */
  | { kind: 'reload'; client: number }
  /** Collects all garbage, on all sides. */
  | { kind: 'collect' };

export type Direction = 'up' | 'down';

/**
 * A place in which programs run: the simulated platform, or a real workerd. It has one Worker, with the same entry
 * module in all worlds (`programs/worker.ts`), and one object for each program.
 */
export interface World {
  /** The library that `connect` uses. */
  readonly library: ClientLibrary;
  /**
   * The name of the program's object. Clients connect to `/rpc/program/<name>`; `/control/<name>/…` is for control
   * requests.
   */
  readonly object: string;
  /**
   * Runs a program. Time in the world only passes meanwhile. All methods below must be used within it, except `end`.
   */
  run<Result>(program: () => Result | Promise<Result>): Promise<Result>;
  /** Runs code of a client, such as its calls. Everything that it begins belongs to the client, and ends with it. */
  as<Result>(client: number, job: () => Result): Result;
  /** Returns true if this world supports this fault. */
  can(fault: Fault): boolean;
  /** Brings a fault about. Resolves when the fault has begun. */
  fault(fault: Fault): Promise<void>;
  /**
   * Connects client `client` to the program's object, through the Worker. Uses the library's own `connect`, or
   * `connectHttp` in worlds that support it. Returns its stub.
   */
  connect(client: number, options?: ConnectOptions, over?: 'socket' | 'http'): unknown;
  /**
   * Sends a request to the Worker outside of all connections, without delays or faults. Programs are sent to their
   * object and ledgers are read this way.
   */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Returns the time of the world's own clock, in milliseconds. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /**
   * Ends all faults. Resolves when nothing is left to do: no timer except those of idle connections, and no frame under
   * way.
   */
  calm(): Promise<void>;
  /** Ends the world. Returns what is left that should not be: timers, sessions, unhandled rejections. */
  end(): Promise<readonly string[]>;
  /** A hash of everything that has happened, if the world has one. */
  readonly traceHash?: string;
}
