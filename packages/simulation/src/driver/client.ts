import type { ConnectOptions } from '@lumenize/rpc';
import { nameOfUser } from '../programs/keys.ts';
import type { ClientSpec, User } from '../programs/program.ts';
import type { World } from '../world.ts';
import type { Life } from './history.ts';

/** A client's stub of the connection's target. It is untyped, because the target is only known at run time. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type AnyStub = any;

/** One client of a program, through its lives. */
export class ProgramClient {
  readonly number: number;
  stub: AnyStub;
  life!: Life;
  /** The stubs that the client keeps, by the way it got them, and whose they are. */
  readonly kept = new Map<string, { readonly stub: AnyStub; readonly who: readonly string[] }>();
  /** Functions that leave each subscription or stream that the client reads. */
  readonly open = new Set<() => void>();
  readonly #world: World;
  readonly #options: ConnectOptions;
  readonly #lives: Life[];
  /** Whose tokens the client has. */
  user: User = 'first';
  /** Whose tokens the client had before, if its connection was not told that they are another user's. */
  readonly #earlier = new Set<string>();

  constructor(world: World, number: number, spec: ClientSpec, patience: ConnectOptions, lives: Life[]) {
    this.number = number;
    this.#world = world;
    this.#lives = lives;
    this.#options = {
      ...patience,
      token: () => this.#token(spec),
    };
    this.connect();
  }

  connect(): void {
    const { client = this.number, number = 0 } = this.life ?? {};
    const life: Life = {
      client,
      number: number + 1,
      from: this.#world.now(),
      until: Number.POSITIVE_INFINITY,
      losses: [],
      changes: [],
      producers: 0,
      wrong: [],
    };
    this.life = life;
    this.#earlier.clear();
    this.#lives.push(life);
    this.stub = this.#world.connect(this.number, {
      ...this.#options,
      onStateChange: (state) => {
        if (state === 'open') life.openedAt ??= this.#world.now();
        if (state !== 'open' && state !== 'connecting') life.losses.push(this.#world.now());
      },
      onError: (error) => {
        const { code } = (error ?? {}) as { code?: unknown };
        if (code === undefined) life.wrong.push(`a function of the client threw: ${error}`);
      },
    });
  }

  get connection() {
    return this.#world.library.connection(this.stub);
  }

  /** The users under whom calls are made now. */
  get who(): readonly string[] {
    return [...this.#earlier, nameOfUser(this.number, this.user)];
  }

  /** Has the tokens belong to another user, and tells the connection of it unless `silently`. */
  become(user: User, silently = false): void {
    if (silently) {
      this.#earlier.add(nameOfUser(this.number, this.user));
      this.life.changes.push({ at: this.#world.now(), until: Number.POSITIVE_INFINITY });
      this.user = user;
    } else {
      this.user = user;
      this.#world.as(this.number, () => {
        // After a refusal.
        if (this.connection.state === 'closed') this.connection.open();
      });
      this.authenticate(true);
    }
  }

  /** Shows the server a new token. */
  authenticate(isOther = false): void {
    const change = { at: this.#world.now(), until: Number.POSITIVE_INFINITY };
    if (isOther || this.#earlier.size > 0) this.life.changes.push(change);
    this.#earlier.clear();
    const accepted = () => {
      change.until = this.#world.now();
    };
    this.#world.as(this.number, () => this.connection.authenticate().then(accepted, () => {}));
  }

  #token({ isNobody, expiresMs = 0 }: ClientSpec): string {
    if (isNobody) return 'nobody';
    // For JavaScript, undefined is no token.
    if (this.user === 'undefined') return undefined as never;
    return `${this.number}/${expiresMs}/0/${this.user}`;
  }

  /** Disposes of all stubs. */
  dispose(): void {
    this.#world.as(this.number, () => {
      for (const { stub } of this.kept.values()) stub[Symbol.dispose]();
    });
    this.kept.clear();
  }

  /** Ends all subscriptions and streams that the client reads. */
  leave(): void {
    this.#world.as(this.number, () => {
      for (const leave of [...this.open]) leave();
    });
  }

  /** Ends the client with the run. */
  finish(): void {
    this.#world.as(this.number, () => this.connection.close());
  }

  /** Ends this life before the run does. The next one may be of another user. */
  end(how: 'close' | 'reload', user = this.user): void {
    this.user = user;
    this.life.ended = how;
    this.life.until = this.#world.now();
    this.kept.clear();
    this.open.clear();
    if (how === 'close') this.#world.as(this.number, () => this.connection.close());
  }
}
