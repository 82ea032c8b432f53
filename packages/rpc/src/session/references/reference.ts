import { RpcError } from '../../errors/rpc-error.ts';
import { type Address, referenceAddress } from '../../protocol/address.ts';

/** Owner through which a reference is released. */
export interface ReferenceOwner {
  release(reference: Reference): void;
}

/**
 * Something that lives on the other side: a target or a function of it. All stubs that lead there hold this, so that it is
 * let go of when the last of them is collected.
 */
export class Reference {
  readonly id: number;
  /** Name for messages. */
  readonly name: string;
  readonly #owner: ReferenceOwner;
  /** The stub that stands for it: it stays the same as long as any stub leads here. */
  stub: object | undefined;
  #gone: RpcError | undefined;

  constructor(id: number, name: string, owner: ReferenceOwner) {
    this.id = id;
    this.name = name;
    this.#owner = owner;
  }

  /**
   * Returns the address at which operations find it.
   * @throws {RpcError} `REFERENCE_LOST` where it was disposed, or its connection is gone
   */
  address(): Address {
    if (this.#gone !== undefined) {
      throw new RpcError('REFERENCE_LOST', this.#gone.message, { cause: this.#gone.cause });
    }
    return referenceAddress(this.id);
  }

  /** Lets go of it; all stubs that lead here stop working, and say where that was. */
  dispose(): void {
    if (this.#gone !== undefined) return;
    const cause = new Error('it was disposed here');
    this.lose(`this stub of a remote ${this.name} was disposed: see the error's cause for where`, cause);
    this.#owner.release(this);
  }

  /** Makes it unusable for the reason given. */
  lose(message: string, cause?: Error): void {
    this.#gone ??= new RpcError('REFERENCE_LOST', message, { cause });
  }
}
