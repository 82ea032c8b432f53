import { capnWeb } from '@lumenize/capnweb';
import {
  callContext,
  type RpcMetrics,
  RpcObject,
  type RpcServerOptions,
  RpcTarget,
  type StandardSchema,
} from '@lumenize/rpc/server';
import { RpcStub } from 'capnweb';

/** Accepts one kind of thing, as the schemas of validating libraries do. */
function typed(type: string): StandardSchema {
  const validate = (value: unknown) =>
    typeof value === type ? { value } : { issues: [{ message: `expected ${type}` }] };
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

class Room extends RpcTarget {
  own = 'not remote';
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }

  title(): string {
    return `room ${this.name}`;
  }

  rename(): string {
    return 'renamed';
  }
}

/** Hides a method of its class in each of the two ways that there are. */
class ClosedRoom extends Room {
  override title = () => 'not remote';
}
Object.defineProperty(ClosedRoom.prototype, 'rename', { value: undefined });

const LEFT: object[] = [];
const CAPN_WEB_ROOM = new RpcStub(new Room('behind'));

/** What the rules are tried on. */
class RulesTarget extends RpcTarget {
  secret = 'not remote';
  readonly #log: string[];
  readonly #metrics: () => RpcMetrics;
  readonly #other: DurableObjectStub<RulesObject>;
  readonly #endAll: () => void;

  static readonly rpc = {
    drop: { guard: (caller: { identity?: string }) => caller.identity === 'ada' },
    double: { args: [typed('number')] },
    pay: { exactlyOnce: true },
  };

  constructor(log: string[], metrics: () => RpcMetrics, other: DurableObjectStub<RulesObject>, endAll: () => void) {
    super();
    this.#log = log;
    this.#metrics = metrics;
    this.#other = other;
    this.#endAll = endAll;
  }

  whoAmI() {
    return callContext().caller?.identity;
  }

  drop(): string {
    return 'dropped';
  }

  double(n: number): number {
    return n * 2;
  }

  pay(): number {
    return 1;
  }

  missing(): void {
    throw new RangeError('a defect');
  }

  room(): Room {
    return new Room('one');
  }

  closedRoom(): Room {
    return new ClosedRoom('six');
  }

  makeRoom(): () => Room {
    return Object.assign(() => new Room('two'), { leaked: 'not remote' });
  }

  /** Passes a target of its own to the client. */
  showRoom(show: (room: Room) => unknown): unknown {
    return show(new Room('three'));
  }

  /** Passes what can be sent together with what cannot, so many times, and returns why it was refused. */
  async passInVain(take: (...passed: unknown[]) => PromiseLike<unknown>, times: number): Promise<string> {
    let why = '';
    for (let time = 0; time < times; time++) {
      await take(new Room('five'), [new Map()]).then(undefined, (error: Error) => {
        why = error.message;
      });
    }
    return why;
  }

  /** Calls a function of the client's, and once more when that has failed, and logs why. */
  async askTwice(ask: () => PromiseLike<unknown>): Promise<void> {
    for (const time of ['first', 'second']) {
      const failed = ({ code }: { code?: unknown }) => void this.#log.push(`${time}: ${code}`);
      await ask().then(undefined, failed);
    }
  }

  /** Is passed something by reference, and neither keeps it nor disposes of it. */
  forget(_passed: unknown): string {
    return 'forgotten';
  }

  /** Has the engine collect garbage sooner or later, by making some. */
  makeGarbage(): number {
    return Array.from({ length: 200_000 }, (_, place) => ({ place })).length;
  }

  /** Passes something of the client's on by the platform's own RPC, twice. */
  async passFunctionOn(passed: never): Promise<unknown[]> {
    return [await this.#other.callFunction(passed), await this.#other.callFunction(passed)];
  }

  async passTargetOn(passed: never): Promise<unknown[]> {
    return [await this.#other.useTarget(passed), await this.#other.useTarget(passed)];
  }

  passMemberOn(passed: { title: never }): Promise<unknown> {
    return this.#other.callFunction(passed.title);
  }

  /** Returns what another object has returned by the platform's own RPC. */
  async nativeRoom(): Promise<unknown> {
    return this.#other.room();
  }

  /** Leaves something for whoever asks next. */
  leave(something: object): void {
    LEFT.push(something);
  }

  left(): unknown {
    return LEFT.at(-1);
  }

  /** Returns a stub of Cap'n Web's own, the same each time: as a server has them that is a client of another one. */
  capnWebRoom(): unknown {
    return CAPN_WEB_ROOM;
  }

  async nativeFunctions(): Promise<unknown> {
    return { make: await this.#other.makeRoom() };
  }

  list(): unknown {
    return { rooms: new Map([['one', 1]]) };
  }

  roomAndMap(): unknown {
    return [new Room('four'), new Map()];
  }

  circle(): unknown {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    return circle;
  }

  failing(): never {
    const error = new Error('round');
    error.cause = new Error('and round', { cause: error });
    throw error;
  }

  forever(): Promise<never> {
    return new Promise(() => {});
  }

  numbers(count: number): number[] {
    return Array.from({ length: count }, (_, n) => n);
  }

  metrics(): RpcMetrics {
    return this.#metrics();
  }

  endAll(): void {
    this.#endAll();
  }

  log(): string[] {
    return this.#log;
  }
}

/** Names the rate limit of a caller, with a defect that one caller meets. */
function rateNameOf({ identity }: { identity?: unknown }): string {
  if (identity === 'unrated') throw new TypeError('a defect of the class');
  return String(identity);
}

/** Serves them with limits that are soon reached. */
export class RulesObject extends RpcObject<{ RULES: DurableObjectNamespace<RulesObject> }, string> {
  readonly #log: string[] = [];

  override target(): RulesTarget {
    return new RulesTarget(
      this.#log,
      () => this.rpcMetrics,
      this.env.RULES.getByName('other'),
      () => {
        for (const connection of this.connections()) connection.close();
      },
    );
  }

  // For other objects, by the platform's own RPC.

  async callFunction(passed: () => unknown): Promise<unknown> {
    return passed();
  }

  async useTarget(passed: { title(): unknown }): Promise<unknown> {
    return passed.title();
  }

  room(): Room {
    return new Room('elsewhere');
  }

  makeRoom(): () => Room {
    return () => new Room('made elsewhere');
  }

  override rpcOptions(): RpcServerOptions {
    return {
      protocols: [capnWeb()],
      limits: {
        maxCallsInFlight: 3,
        maxReferences: 40,
        maxMessageBytes: 20_000,
        maxOperationsPerFrame: 20,
        maxMapOperations: 3000,
      },
      rateLimits: { identity: { operationsPerSecond: 10_000, burst: 10_000, by: rateNameOf } },
      onError: (error, method) => this.#log.push(`${method}: ${(error as Error).message}`),
      onRefused: (code, what) => this.#log.push(`${code} ${what}`),
    };
  }

  protected override onConnect(): void {
    this.#log.push('connected');
  }

  protected override onDisconnect(): void {
    this.#log.push('disconnected');
  }
}
