import { currentRealm, type Realm } from '../scheduler/realm.ts';
import { sections } from '../scheduler/timers.ts';
import type { Database } from './database.ts';
import type { Endpoint, HasEndpoint, Message } from './endpoint.ts';
import { InputGate } from './input-gate.ts';
import { OutputGate } from './output-gate.ts';
import type { StorageHost } from './storage.ts';

/** An object, from the point of view of one of its lives. */
export interface LifeHost {
  readonly database: Database;
  /** Returns how long an operation of asynchronous storage takes, in milliseconds; 0 if it is done at once. */
  storageMs(): number;
  /** Returns how long it takes until a commit is durable. */
  durableMs(): number;
  /** Called when a commit has become durable. */
  committed(): void;
  /** Called when the life cannot continue. */
  broken(life: Life, error: unknown): void;
  /** Called when the life becomes idle or busy. */
  idleChanged(life: Life, isIdle: boolean): void;
  /** Called with each message that arrives at a socket that does not hibernate. */
  receive(life: Life, socket: HasEndpoint, message: Message): void;
}

/** The share of full disks that fail at the write itself. */
const SHOWS_FULL = 0.2;

const lives = new WeakMap<Realm, Life>();

/** One life of an object in memory: from its constructor until it hibernates, crashes or is replaced. */
export class Life implements StorageHost {
  readonly realm: Realm;
  readonly gate: InputGate;
  readonly output: OutputGate;
  readonly #host: LifeHost;
  /** The events that are being handled. Each function rejects its event if the life ends first. */
  readonly #events = new Set<(error: Error) => void>();
  /** The sockets of this life, by the ends that the runtime keeps. */
  readonly #sockets = new Map<Endpoint, HasEndpoint>();
  /** The sockets that keep the object in memory. */
  readonly #accepted = new Set<Endpoint>();
  #heldCommits = 0;
  #waits = 0;
  #isChecking = false;
  #isIdle = false;

  constructor(realm: Realm, host: LifeHost) {
    this.realm = realm;
    this.#host = host;
    const { scheduler } = realm;
    this.gate = new InputGate((job) => realm.after(0, 'admit', job));
    this.output = new OutputGate(host.database);
    realm.admit = (begin, section) =>
      this.gate.admit(() => realm.isAlive && realm.run(() => sections.run(section, begin)), section);
    realm.changed = () => this.touch();
    // Mostly there is room until the commit. A statement that finds none ends the object just the same.
    host.database.showsFull = () => {
      const shows = scheduler.random.chance(`full ${realm.name}`, SHOWS_FULL);
      if (shows) host.broken(this, new Error('database or disk is full: SQLITE_FULL'));
      return shows;
    };
    host.database.onWrite = () => scheduler.atEndOfTask(() => this.#commit());
    lives.set(realm, this);
  }

  /**
   * Returns the life of the running code.
   * @throws {Error} if the code does not belong to an object
   */
  static current(): Life {
    const life = Life.running();
    if (life === undefined) throw new Error('this can be done in an object only');
    return life;
  }

  /** Returns the life of the running code, or undefined for code of the Worker outside of objects. */
  static running(): Life | undefined {
    const realm = currentRealm();
    return realm && lives.get(realm);
  }

  /** Hands an event to the object as soon as the gate lets it in. Rejects if the life ends first. */
  event<Result>(what: string, handle: () => Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      // The result is only visible once the writes of the event are durable.
      const over = (tell: () => void) =>
        this.output.pass(() => {
          this.#events.delete(reject);
          this.touch();
          tell();
        });
      this.#events.add(reject);
      this.touch();
      this.realm.admit(() => {
        this.realm.note(what);
        this.realm.scheduler.noteActive();
        new Promise<Result>((settle) => settle(handle())).then(
          (result) => over(() => resolve(result)),
          (error) => over(() => reject(error)),
        );
      }, undefined);
    });
  }

  /** Keeps the object in memory until a promise is settled. */
  waitUntil(promise: Promise<unknown>): void {
    this.#waits++;
    const over = () => {
      this.#waits--;
      this.touch();
    };
    promise.then(over, over);
    this.touch();
  }

  /** Returns the socket that code of this life has for an end of a socket. */
  socketOf(endpoint: Endpoint): HasEndpoint | undefined {
    return this.#sockets.get(endpoint);
  }

  /** Registers a socket that code of this life already has. */
  adopt(socket: HasEndpoint): void {
    this.#sockets.set(socket.endpoint, socket);
  }

  /** Accepts a socket that does not hibernate. */
  accept(socket: HasEndpoint): void {
    const { endpoint } = socket;
    this.adopt(socket);
    this.#accepted.add(endpoint);
    endpoint.receiveWith((message) => {
      if (!this.realm.isAlive) return;
      this.#host.receive(this, socket, message);
      if (endpoint.isOver) this.#accepted.delete(endpoint);
      this.touch();
    });
    this.touch();
  }

  get accepted(): Iterable<Endpoint> {
    return this.#accepted;
  }

  /** Sends a message when all earlier writes are durable. */
  send(endpoint: Endpoint, message: Message): void {
    this.output.pass(() => {
      endpoint.transmit(message);
      if (endpoint.isOver) this.#accepted.delete(endpoint);
    });
    this.touch();
  }

  // The methods that storage uses.

  waitFor<Result>(job: () => Result): Promise<Result> {
    const ms = this.#host.storageMs();
    const result = new Promise<Result>((resolve) => resolve(job()));
    if (ms === 0) return result;
    // It is not unhandled if it rejects while the caller waits, nor if this life ends first.
    result.catch(() => {});
    this.gate.lock();
    this.touch();
    return new Promise((resolve) => {
      this.realm.after(ms, 'storage', () => {
        this.gate.unlock();
        this.touch();
        resolve(result);
      });
    });
  }

  durable(): Promise<void> {
    return new Promise((resolve) => this.output.pass(() => this.realm.admit(resolve, sections.getStore())));
  }

  async exclusively<Result>(job: () => Promise<Result>): Promise<Result> {
    const section = {};
    this.gate.enter(section);
    this.touch();
    try {
      return await sections.run(section, job);
    } finally {
      this.gate.leave(section);
      this.touch();
    }
  }

  holdCommit(isHeld: boolean): void {
    this.#heldCommits += isHeld ? 1 : -1;
    if (!isHeld) this.realm.scheduler.atEndOfTask(() => this.#commit());
  }

  #commit(): void {
    const { database } = this.#host;
    if (this.#heldCommits > 0 || !database.isWriting || !this.realm.isAlive) return;
    let number: number;
    try {
      number = database.commit();
    } catch (error) {
      return this.#host.broken(this, error);
    }
    this.realm.note('commit', number);
    this.realm.after(this.#host.durableMs(), 'durable', () => {
      database.setDurable(number);
      this.realm.note('durable', number);
      this.output.open();
      this.#host.committed();
      this.touch();
    });
  }

  /** Checks at the end of the task whether the life is idle. */
  touch(): void {
    if (this.#isChecking || !this.realm.isAlive) return;
    this.#isChecking = true;
    this.realm.scheduler.atEndOfTask(() => {
      this.#isChecking = false;
      if (!this.realm.isAlive || this.isIdle === this.#isIdle) return;
      this.#isIdle = !this.#isIdle;
      this.#host.idleChanged(this, this.#isIdle);
    });
  }

  /** True if nothing keeps the object in memory. */
  get isIdle(): boolean {
    return (
      this.#events.size === 0 &&
      this.#waits === 0 &&
      this.#accepted.size === 0 &&
      this.realm.timers.size === 0 &&
      this.gate.isIdle &&
      this.output.isIdle
    );
  }

  /** Descriptions of everything that keeps the object in memory. */
  get holders(): string[] {
    const counts = {
      events: this.#events.size,
      waits: this.#waits,
      accepted: this.#accepted.size,
      timers: this.realm.timers.size,
    };
    return Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`]));
  }

  /** Ends the life: none of its code runs any more, and its pending events reject with the error. */
  end(error: Error): void {
    this.realm.end();
    for (const reject of [...this.#events]) reject(error);
    this.#events.clear();
  }
}
