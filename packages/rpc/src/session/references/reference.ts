import { RpcError } from '../../errors/rpc-error.ts';
import { type Address, referenceAddress } from '../../protocol/address.ts';

/** The owner through which a reference is released. */
export interface ReferenceOwner {
  /**
   * Releases a reference, except as far as it was passed to calls that have not begun. Returns false if there are such
   * calls.
   */
  release(reference: Reference): boolean;
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
  /** Why it can no longer be used; undefined if it can. */
  #gone: { readonly message: string; readonly cause: Error | undefined } | undefined;

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
    if (this.#gone === undefined) return referenceAddress(this.id);
    const { message, cause } = this.#gone;
    throw new RpcError('REFERENCE_LOST', message, { cause });
  }

  /**
   * Releases the reference. All stubs that lead here stop working, and their errors say where it was disposed. They
   * continue to work if the peer has passed the reference again, to a call that has not begun.
   */
  dispose(): void {
    if (this.#gone !== undefined || !this.#owner.release(this)) return;
    const cause = new Error('it was disposed here');
    this.lose(`this stub of a remote ${this.name} was disposed: see the error's cause for where`, cause);
  }

  /** Makes the reference unusable for the given reason. */
  lose(message: string, cause?: Error): void {
    this.#gone ??= { message, cause };
  }
}
