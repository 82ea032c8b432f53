import type { ConnectOptions } from '@lumenize/rpc';

/** The library as clients of a world have it: not to be imported, since a world may load it in a way of its own. */
export type ClientLibrary = typeof import('@lumenize/rpc');

/** Something that goes wrong in a world, as data. A world that cannot do it says so with `can`. */
export type Fault =
  /** Cuts a client's connection: at once, or after so many more bytes in a direction, which may be within a frame. */
  | { kind: 'cut'; client: number; direction?: Direction; afterBytes?: number }
  /** Holds back what goes in these directions, as a link that is dead without saying so does. */
  | { kind: 'freeze'; client: number; direction: Direction | 'both'; ms: number }
  /** Delays what goes in a direction from now on. */
  | { kind: 'delay'; client: number; direction: Direction; ms: number }
  /** Delivers a client's next upgrade twice, or only after the one that follows it. */
  | { kind: 'upgrade'; client: number; how: 'twice' | 'late' }
  /** Has the object leave memory, as soon as nothing is under way; its sockets hibernate. */
  | { kind: 'evict' }
  /** Ends the object and its sockets. Commits that were not confirmed survive or not. */
  | { kind: 'crash'; keepsCommits: boolean }
  /** Replaces the code of the object: another version of its class, without its sockets. */
  | { kind: 'deploy' }
  /** Writes fail for a time. */
  | { kind: 'disk'; how: 'full' | 'failing'; ms: number }
  /** Application code of the object closes a client's socket. */
  | { kind: 'close'; client: number; code: number }
  /** The clock of a side jumps. */
  | { kind: 'clock'; side: 'object' | 'clients'; ms: number }
  /** A client does not read for a time. */
  | { kind: 'slow'; client: number; ms: number }
  /** Takes a client's network away for a time, and tells it, if it is a page. */
  | { kind: 'offline'; client: number; ms: number }
  /** Has a client's machine sleep: its timers wait, and its date goes on. */
  | { kind: 'sleep'; client: number; ms: number }
  /** Ends a client's code and connections, as a page that is loaded again: what it had is gone, `connect` begins anew. */
  | { kind: 'reload'; client: number }
  /** Collects what nobody can reach, on all sides. */
  | { kind: 'collect' };

export type Direction = 'up' | 'down';

/**
 * A place in which programs run: the simulated platform, or a real workerd. It has one Worker, whose entry module is the same in all
 * worlds (`programs/worker.ts`), and one object for each program.
 */
export interface World {
  /** The library that `connect` uses. */
  readonly library: ClientLibrary;
  /** The name of the program's object: clients connect to `/rpc/program/<name>`, and `/control/<name>/…` is beside them. */
  readonly object: string;
  /** Runs a program; the world goes on only meanwhile. All that follows is to be used within it, but `end`. */
  run<Result>(program: () => Result | Promise<Result>): Promise<Result>;
  /** Runs what a client does, such as its calls: what it begins belongs to the client, and ends with it. */
  as<Result>(client: number, job: () => Result): Result;
  /** Returns true if this world can bring this fault about. */
  can(fault: Fault): boolean;
  /** Brings it about. Resolves when it has begun. */
  fault(fault: Fault): Promise<void>;
  /**
   * Connects client `client` to the program's object, through the Worker: by the library's own `connect`, or by `connectHttp` in
   * worlds that can. Returns its stub.
   */
  connect(client: number, options?: ConnectOptions, over?: 'socket' | 'http'): unknown;
  /** Sends a request to the Worker beside all connections, without delay or fault: how programs are given to their object, and ledgers read. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Milliseconds of the world's own clock. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Ends all faults, and resolves when nothing is left to do: no timer but those of idle connections, no frame under way. */
  calm(): Promise<void>;
  /** Ends the world, and returns what is left that should not be: timers, sessions, unhandled rejections. */
  end(): Promise<readonly string[]>;
  /** A hash of all that has happened, where the world has one. */
  readonly traceHash?: string;
}
