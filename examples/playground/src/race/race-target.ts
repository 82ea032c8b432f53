import type { CounterImpl } from '../../../counter/src/counter-impl.ts';

/**
 * Makes the target that races from a library's own `RpcTarget`: both sides serve this very class, on the same counter, and only
 * the way calls reach it differs.
 */
export function raceTarget<Target extends object>(
  RpcTarget: abstract new () => Target,
): new (
  counter: CounterImpl,
) => Target {
  const Base: abstract new () => object = RpcTarget;

  class Profile extends Base {
    get name(): string {
      return 'Ada';
    }
  }

  class Owner extends Base {
    profile(): Profile {
      return new Profile();
    }
  }

  class RaceTarget extends Base {
    readonly #counter: CounterImpl;

    constructor(counter: CounterImpl) {
      super();
      this.#counter = counter;
    }

    increment(by = 1): number {
      return this.#counter.increment(by);
    }

    getValue(): number {
      return this.#counter.getValue();
    }

    owner(): Owner {
      return new Owner();
    }

    echo(bytes: Uint8Array): Uint8Array {
      return bytes;
    }
  }

  // It is one, by its base.
  return RaceTarget as unknown as new (
    counter: CounterImpl,
  ) => Target;
}
