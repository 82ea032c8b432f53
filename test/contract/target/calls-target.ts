import { RpcTarget } from '@lumenize/rpc/server';

/** The part of the contract's target that cases about calls, values and errors use: a member of every kind. */
export class CallsTarget extends RpcTarget {
  ownProperty = 'not remote';
  readonly #private = 'not remote either';
  readonly #ran: string[] = [];
  #total = 0;

  /** Names of what ran since the last call, in order. */
  ran(): string[] {
    return this.#ran.splice(0);
  }

  add(by = 1): number {
    this.#ran.push('add');
    this.#total += by;
    return this.#total;
  }

  get total(): number {
    return this.#total;
  }

  echo<T>(value: T): T {
    return value;
  }

  sum(...numbers: number[]): number {
    return numbers.reduce((total, number) => total + number, 0);
  }

  sizeOf(bytes: Uint8Array): number {
    this.#ran.push('sizeOf');
    return bytes.byteLength;
  }

  owner(): Owner {
    this.#ran.push('owner');
    return new Owner(this.#ran);
  }

  async ownerLater(): Promise<Owner> {
    this.#ran.push('ownerLater');
    await Promise.resolve();
    return new Owner(this.#ran);
  }

  returnsNothing(): void {}

  // What every function has, a target may have for itself.
  get name(): string {
    return 'a name';
  }

  get length(): number {
    return 42;
  }

  call(text: string): string {
    return `called with ${text}`;
  }

  apply(text: string): string {
    return `applied to ${text}`;
  }

  bind(text: string): string {
    return `bound to ${text}`;
  }

  record(): { id: number; tags: string[]; inner: { name: string } } {
    return { id: 7, tags: ['a', 'b'], inner: { name: 'deep' } };
  }

  throws(): never {
    this.#ran.push('throws');
    const cause = new RangeError('the reason');
    throw Object.assign(new TypeError('it went wrong', { cause }), { code: 'E_WRONG', details: { at: [3] } });
  }

  async rejects(): Promise<never> {
    await Promise.resolve();
    throw new NamedError('later');
  }

  throwsString(): never {
    throw 'just text';
  }

  throwsSymbol(): never {
    throw Symbol(this.#private);
  }

  throwsNothing(): never {
    throw undefined;
  }

  throwsTogether(): never {
    throw new AggregateError([new RangeError('one'), new NamedError('two')], 'both');
  }

  throwsInterrupted(): never {
    throw new DOMException('interrupted', 'AbortError');
  }

  throwsCircle(): never {
    const error = new Error('round');
    error.cause = new Error('and round', { cause: error });
    throw error;
  }

  uncloneable(): unknown {
    return { inner: [Symbol('x')] };
  }

  /** Resolves when `release` is called; for results that come in another order than the calls. */
  held(value: number): Promise<number> {
    return new Promise((resolve) => {
      this.#holds.push(() => resolve(value));
    });
  }

  /** Lets go of what is held, last first. */
  release(): void {
    for (const resolve of this.#holds.splice(0).reverse()) resolve();
  }

  readonly #holds: (() => void)[] = [];
}

class Owner extends RpcTarget {
  readonly #ran: string[];

  constructor(ran: string[]) {
    super();
    this.#ran = ran;
  }

  profile(): Profile {
    this.#ran.push('profile');
    return new Profile();
  }
}

class Profile extends RpcTarget {
  get name(): string {
    return 'Ada';
  }

  greet(name: string): string {
    return `${name} greets Ada`;
  }
}

class NamedError extends Error {
  override readonly name = 'NamedError';
}
