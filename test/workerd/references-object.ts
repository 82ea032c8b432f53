import { RpcObject, RpcTarget } from '@lumenize/rpc/server';

/** An object whose references are tried across its lives. */
export class ReferencesObject extends RpcObject<Env> {
  #kept: ((text: string) => unknown) | undefined;
  readonly #garden = new Hall();

  override target(): Lobby {
    return new Lobby(this.ctx.storage, this.env, this.#garden);
  }

  // For other objects, by the platform's own RPC.

  async callFunction(called: (text: string) => unknown, text: string): Promise<unknown> {
    return called(text);
  }

  async useTarget(target: { greet(name: string): unknown; readonly title: unknown }): Promise<unknown[]> {
    return [await target.greet('Ada'), await target.title];
  }

  async readName({ room }: { room: Room }): Promise<string> {
    return room.name;
  }

  async roomOf(lobby: Lobby, name: string): Promise<string> {
    const room: Room = await lobby.plainRoom(name);
    return room.name;
  }

  keep(called: (text: string) => unknown): void {
    this.#kept = (called as unknown as { dup(): typeof called }).dup();
  }

  async callKept(text: string): Promise<unknown> {
    return this.#kept!(text);
  }
}

interface Env {
  COUNTER: DurableObjectNamespace;
  REFERENCES: DurableObjectNamespace<ReferencesObject>;
}

export class Lobby extends RpcTarget {
  static readonly rpc = {
    room: { restorable: true },
    laterRoom: { restorable: true },
    roomAt: { restorable: true },
    laterRoomAt: { restorable: true },
    hall: { restorable: true },
    garden: { restorable: true },
    self: { restorable: true },
    door: { restorable: true },
  };
  readonly #storage: DurableObjectStorage;
  readonly #env: Env;
  readonly #garden: Hall;
  #hall: Hall | undefined;

  constructor(storage: DurableObjectStorage, env: Env, garden: Hall) {
    super();
    this.#storage = storage;
    this.#env = env;
    this.#garden = garden;
  }

  room(name: string): Room {
    this.#storage.kv.put('derived', this.derived() + 1);
    return new Room(name);
  }

  async laterRoom(name: string): Promise<Room> {
    await Promise.resolve();
    return this.room(name);
  }

  /** Changes its argument. */
  roomAt(path: string[]): Room {
    return this.room(path.pop()!);
  }

  async laterRoomAt(path: string[]): Promise<Room> {
    await Promise.resolve();
    return this.roomAt(path);
  }

  /** The same one each time. */
  hall(): Hall {
    this.#hall ??= new Hall();
    return this.#hall;
  }

  /** One that all connections share. */
  garden(): Hall {
    return this.#garden;
  }

  self(): this {
    return this;
  }

  plainRoom(name: string): Room {
    return new Room(name);
  }

  plainHall(): Hall {
    return this.hall();
  }

  wing(): Wing {
    return new Wing(this);
  }

  /** A hall, until the door is closed or broken. */
  door(): Hall | undefined {
    const state = this.#storage.kv.get('door');
    if (state === 'broken') throw new RangeError('the door is broken');
    return state === 'closed' ? undefined : new Hall();
  }

  setDoor(state: string): void {
    this.#storage.kv.put('door', state);
  }

  /** The names of rooms that were disposed of since it was asked last. */
  left(): string[] {
    return Room.left.splice(0);
  }

  /** How often a room was made. */
  derived(): number {
    return this.#storage.kv.get<number>('derived') ?? 0;
  }

  async passFunctionOn(called: (text: string) => unknown): Promise<unknown[]> {
    const other = this.#other();
    const first = await other.callFunction(called, 'passed');
    // What another object lets go of is still this one's.
    return [first, await called('here'), await other.callFunction(called, 'again')];
  }

  passTargetOn(target: never): Promise<unknown> {
    return this.#other().useTarget(target);
  }

  passMemberOn(target: { greet: never }): Promise<unknown> {
    return this.#other().callFunction(target.greet, 'Grace');
  }

  async passForLater(called: never): Promise<void> {
    await this.#other().keep(called);
  }

  callLater(text: string): Promise<unknown> {
    return this.#other().callKept(text);
  }

  #other(): DurableObjectStub<ReferencesObject> {
    return this.#env.REFERENCES.getByName('other');
  }

  /** A stub of the platform's own. */
  counter(name: string): unknown {
    return this.#env.COUNTER.getByName(name);
  }
}

export class Room extends RpcTarget {
  static readonly rpc = { seat: { restorable: true }, self: { restorable: true } };
  static left: string[] = [];
  readonly #name: string;

  constructor(name: string) {
    super();
    this.#name = name;
  }

  [Symbol.dispose](): void {
    Room.left.push(this.#name);
  }

  get name(): string {
    return this.#name;
  }

  self(): this {
    return this;
  }

  seat(number: number): Seat {
    return new Seat(`${this.#name} ${number}`);
  }
}

/** Another way to the hall. */
class Wing extends RpcTarget {
  static readonly rpc = { hall: { restorable: true } };
  readonly #lobby: Lobby;

  constructor(lobby: Lobby) {
    super();
    this.#lobby = lobby;
  }

  hall(): Hall {
    return this.#lobby.hall();
  }
}

class Seat extends RpcTarget {
  readonly #label: string;

  constructor(label: string) {
    super();
    this.#label = label;
  }

  get label(): string {
    return this.#label;
  }
}

/** A target that says whether it was disposed. */
export class Hall extends RpcTarget {
  #isOpen = true;

  isOpen(): boolean {
    return this.#isOpen;
  }

  [Symbol.dispose](): void {
    this.#isOpen = false;
  }
}
