import type { ConnectOptions } from '@lumenize/rpc';
import type { ClientSpec } from '../programs/program.ts';
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
  /** The stubs that the client keeps, by the way it got them. */
  readonly kept = new Map<string, AnyStub>();
  /** Functions that leave each subscription or stream that the client reads. */
  readonly open = new Set<() => void>();
  readonly #world: World;
  readonly #options: ConnectOptions;
  readonly #lives: Life[];
  #tokens = 0;

  constructor(world: World, number: number, spec: ClientSpec, patience: ConnectOptions, lives: Life[]) {
    this.number = number;
    this.#world = world;
    this.#lives = lives;
    this.#options = {
      ...patience,
      early: spec.early,
      token: () => (spec.isNobody ? 'nobody' : `${number}/${spec.expiresMs ?? 0}/${this.#tokens++}`),
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
      producers: 0,
      wrong: [],
    };
    this.life = life;
    this.#lives.push(life);
    this.stub = this.#world.connect(this.number, {
      ...this.#options,
      onStateChange: (state) => {
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

  /** Disposes of all stubs. */
  dispose(): void {
    this.#world.as(this.number, () => {
      for (const stub of this.kept.values()) stub[Symbol.dispose]();
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
    const { state, statistics } = this.connection;
    this.life.isToldOf = state === 'open' || statistics.framesSent === 0;
    this.#world.as(this.number, () => this.connection.close());
  }

  /** Ends this life before the run does. */
  end(how: 'close' | 'reload'): void {
    this.life.ended = how;
    this.life.until = this.#world.now();
    const { state, statistics } = this.connection;
    this.life.isToldOf = state === 'open' || statistics.framesSent === 0;
    this.kept.clear();
    this.open.clear();
    if (how === 'close') this.#world.as(this.number, () => this.connection.close());
  }
}
