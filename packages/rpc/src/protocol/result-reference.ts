import { type Address, readAddress } from './address.ts';
import { readPath } from './path.ts';

/** Stands in decoded arguments for a result, or for a property path of it, until the operation runs. */
export class ResultReference {
  readonly address: Address;
  readonly path: readonly string[];

  constructor(address: Address, path: readonly string[]) {
    this.address = address;
    this.path = path;
  }
}

/** Checks the parts of a `RESULT` in the operation at `index`. */
export function readResultReference([address, ...path]: unknown[], index: number): ResultReference {
  return new ResultReference(readAddress(address, index), readPath(path));
}
