import { RpcTarget } from '@lumenize/rpc/server';

/** What a socket that mostly idles calls. */
export class IdleTarget extends RpcTarget {
  readonly #lives: number;

  constructor(lives: number) {
    super();
    this.#lives = lives;
  }

  lives(): number {
    return this.#lives;
  }

  collect(): void {
    (globalThis as { gc?: () => void }).gc?.();
  }
}
