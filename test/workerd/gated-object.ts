import { RpcObject, RpcTarget } from '@lumenize/rpc/server';

/** An object whose methods use the asynchronous storage, for which the runtime's input gate holds back other events. */
export class GatedObject extends RpcObject {
  readonly #target = new Register(this.ctx);

  override target(): Register {
    return this.#target;
  }
}

/** The same in storage that is not kept in SQLite, where reading takes its time. */
export class GatedObjectWithoutSql extends GatedObject {}

export class Register extends RpcTarget {
  readonly #ctx: DurableObjectState;
  readonly #begun: string[] = [];
  #running = 0;
  #most = 0;
  #runs = 0;

  constructor(ctx: DurableObjectState) {
    super();
    this.#ctx = ctx;
  }

  /** Reads, waits, and writes: right wherever each call is an event of its own. */
  async increment(): Promise<number> {
    const value = ((await this.#ctx.storage.get<number>('value')) ?? 0) + 1;
    await this.#ctx.storage.put('value', value);
    return value;
  }

  get self(): Register {
    return this;
  }

  /** Is there only when something has been waited for. */
  async later(): Promise<Register> {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return this;
  }

  list(length: number): number[] {
    return Array.from({ length }, (_, index) => index);
  }

  value(): Promise<number | undefined> {
    return this.#ctx.storage.get<number>('value');
  }

  /** Runs as long as the others that have begun. */
  async together(count: number): Promise<number> {
    this.#running++;
    this.#most = Math.max(this.#most, this.#running);
    while (this.#most < count) await new Promise((resolve) => setTimeout(resolve, 1));
    this.#running--;
    return this.#most;
  }

  async begin(name: string): Promise<void> {
    this.#begun.push(name);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }

  beginNow(name: string): void {
    this.#begun.push(name);
  }

  begun(): string[] {
    return this.#begun;
  }

  /** Holds back all other events until it has written. */
  initialize(): Promise<number> {
    return this.#ctx.blockConcurrencyWhile(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const value = ((await this.#ctx.storage.get<number>('value')) ?? 0) + 1;
      await this.#ctx.storage.put('value', value);
      return value;
    });
  }

  /** How many runs there were that calls of this have been part of: a job ends one. */
  run(): number {
    if (this.#isNew) {
      this.#isNew = false;
      this.#runs++;
      queueMicrotask(() => (this.#isNew = true));
    }
    return this.#runs;
  }
  #isNew = true;
}
