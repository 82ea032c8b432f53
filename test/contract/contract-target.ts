import { RpcTarget } from '@lumenize/rpc/server';

/** What the contract suite calls: a target with a member of every kind. */
export class ContractTarget extends RpcTarget {
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

  owner(): Owner {
    this.#ran.push('owner');
    return new Owner(this.#ran);
  }

  async ownerLater(): Promise<Owner> {
    this.#ran.push('ownerLater');
    await Promise.resolve();
    return new Owner(this.#ran);
  }

  record(): { id: number; tags: string[]; inner: { name: string } } {
    return { id: 7, tags: ['a', 'b'], inner: { name: 'deep' } };
  }

  throws(): never {
    this.#ran.push('throws');
    const cause = new RangeError('the reason');
    throw Object.assign(new TypeError('it went wrong', { cause }), { code: 'E_WRONG', details: new Map([['at', 3]]) });
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
