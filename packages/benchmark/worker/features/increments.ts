import { type Caller, RpcTarget } from '@lumenize/rpc/server';
import * as v from 'valibot';
import { mayCreate, type User } from '../../src/gateway/gateway.ts';

const KEY = 'value';
const BY = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100));
const guard = ({ identity }: Caller<User>) => mayCreate(identity);

/** A counter in an object's SQLite, of which nothing is said. */
export class Increments extends RpcTarget {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    super();
    this.#storage = storage;
  }

  increment(by: number): number {
    const value = this.getValue() + by;
    this.#storage.kv.put(KEY, value);
    return value;
  }

  getValue(): number {
    return this.#storage.kv.get<number>(KEY) ?? 0;
  }

  reset(): void {
    this.#storage.kv.delete(KEY);
  }
}

/** A guard looks at who is calling. */
export class GuardedIncrements extends Increments {
  static readonly rpc: object = { increment: { guard } };
}

/** A schema looks at the arguments. */
export class ValidatedIncrements extends Increments {
  static readonly rpc: object = { increment: { args: [BY] } };
}

/** The result is stored with the effect, until the client has it. */
export class ExactlyOnceIncrements extends Increments {
  static readonly rpc: object = { increment: { exactlyOnce: true } };
}

/** All of it. */
export class AllIncrements extends Increments {
  static readonly rpc: object = { increment: { guard, args: [BY], exactlyOnce: true } };
}
