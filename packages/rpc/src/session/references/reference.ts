import { RpcError } from '../../errors/rpc-error.ts';
import { type Address, referenceAddress } from '../../protocol/address.ts';

/** The owner through which a reference is released. */
export interface ReferenceOwner {
  release(reference: Reference): void;
  /**
   * Releases a reference as far as calls that have not begun were not given it, too. Returns false if there are no such
   * calls: then nothing was released.
   */
  releaseEarlier?(reference: Reference): boolean;
}

/**
 * A target or function that lives on the other side. All stubs that lead there hold this object, so it is released when
 * the last of them is collected.
 */
export class Reference {
  readonly id: number;
  /** The name to use in messages. */
  readonly name: string;
  readonly #owner: ReferenceOwner;
  /** The stub of this reference. It stays the same as long as any stub leads here. */
  stub: object | undefined;
  #gone: RpcError | undefined;

  constructor(id: number, name: string, owner: ReferenceOwner) {
    this.id = id;
    this.name = name;
    this.#owner = owner;
  }

  /**
   * Returns the address by which operations refer to it.
   * @throws {RpcError} `REFERENCE_LOST` if it was disposed, or if its connection is gone
   */
  address(): Address {
    if (this.#gone !== undefined) {
      throw new RpcError('REFERENCE_LOST', this.#gone.message, { cause: this.#gone.cause });
    }
    return referenceAddress(this.id);
  }

  /**
   * Releases the reference. All stubs that lead here stop working, and their errors say where it was disposed. They
   * continue to work if the peer has passed the reference again, to a call that has not begun.
   */
  dispose(): void {
    if (this.#gone !== undefined || this.#owner.releaseEarlier?.(this)) return;
    const cause = new Error('it was disposed here');
    this.lose(`this stub of a remote ${this.name} was disposed: see the error's cause for where`, cause);
    this.#owner.release(this);
  }

  /** Makes the reference unusable for the given reason. */
  lose(message: string, cause?: Error): void {
    this.#gone ??= new RpcError('REFERENCE_LOST', message, { cause });
  }
}
