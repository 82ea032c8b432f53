import { currentRealm, type Realm } from '../scheduler/realm.ts';
import { sections } from '../scheduler/timers.ts';
import type { Database } from './database.ts';
import type { Endpoint, HasEndpoint, Message } from './endpoint.ts';
import { InputGate } from './input-gate.ts';
import { OutputGate } from './output-gate.ts';
import type { StorageHost } from './storage.ts';

/** An object, as one of its lives sees it. */
export interface LifeHost {
  readonly database: Database;
  /** Time that an operation of asynchronous storage takes, in milliseconds; 0 where it is done at once. */
  storageMs(): number;
  /** Time that it takes until a commit is durable. */
  durableMs(): number;
  /** Something was committed that is durable now. */
  committed(): void;
  /** The life cannot go on. */
  broken(life: Life, error: unknown): void;
  /** Nothing is under way; or something is again. */
  idleChanged(life: Life, isIdle: boolean): void;
  /** Takes what arrives at the end of a socket that does not hibernate. */
  receive(life: Life, socket: HasEndpoint, message: Message): void;
}

/** In so many cases a write itself finds that the disk is full. */
const SHOWS_FULL = 0.2;

const lives = new WeakMap<Realm, Life>();

/** One life of an object in memory: from its constructor until it hibernates, crashes or is replaced. */
export class Life implements StorageHost {
  readonly realm: Realm;
  readonly gate: InputGate;
  readonly output: OutputGate;
  readonly #host: LifeHost;
  /** Events that are being handled, and what is to be told when the life ends before they are. */
  readonly #events = new Set<(error: Error) => void>();
  /** Sockets of this life by the ends that the runtime keeps. */
  readonly #sockets = new Map<Endpoint, HasEndpoint>();
  /** Those that keep the object in memory. */
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
    // Mostly there is room enough until the commit; a statement that finds none ends the object just the same.
    host.database.showsFull = () => {
      const shows = scheduler.random.chance(`full ${realm.name}`, SHOWS_FULL);
      if (shows) host.broken(this, new Error('database or disk is full: SQLITE_FULL'));
      return shows;
    };
    host.database.onWrite = () => scheduler.atEndOfTask(() => this.#commit());
    lives.set(realm, this);
  }

  /**
   * The life that the running code is of.
   * @throws {Error} where it is of none
   */
  static current(): Life {
    const life = Life.running();
    if (life === undefined) throw new Error('this can be done in an object only');
    return life;
  }

  /** The life that the running code is of; undefined for code of the Worker outside of objects. */
  static running(): Life | undefined {
    const realm = currentRealm();
    return realm && lives.get(realm);
  }

  /** Hands an event to the object, when it may be let in. Rejects where the life ends first. */
  event<Result>(what: string, handle: () => Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      // What comes of it is not told before what it wrote is durable.
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

  /** The socket that code of this life has for an end of one. */
  socketOf(endpoint: Endpoint): HasEndpoint | undefined {
    return this.#sockets.get(endpoint);
  }

  /** Notes a socket that code of this life has already. */
  adopt(socket: HasEndpoint): void {
    this.#sockets.set(socket.endpoint, socket);
  }

  /** Serves a socket that does not hibernate. */
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

  /** Sends a message when all that was written before is durable. */
  send(endpoint: Endpoint, message: Message): void {
    this.output.pass(() => {
      endpoint.transmit(message);
      if (endpoint.isOver) this.#accepted.delete(endpoint);
    });
    this.touch();
  }

  // For storage.

  waitFor<Result>(job: () => Result): Promise<Result> {
    const ms = this.#host.storageMs();
    const result = new Promise<Result>((resolve) => resolve(job()));
    if (ms === 0) return result;
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

  /** Looks, at the end of the task, whether anything is still under way. */
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

  /** Names what keeps the object in memory. */
  get holders(): string[] {
    const counts = {
      events: this.#events.size,
      waits: this.#waits,
      accepted: this.#accepted.size,
      timers: this.realm.timers.size,
    };
    return Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`]));
  }

  /** Ends it: nothing of it runs any more, and what waits for its events is told why. */
  end(error: Error): void {
    this.realm.end();
    for (const reject of [...this.#events]) reject(error);
    this.#events.clear();
  }
}
