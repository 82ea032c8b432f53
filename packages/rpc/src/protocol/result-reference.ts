import { type Address, readAddress } from './address.ts';
import { malformedFrame } from './malformed.ts';
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

/** Checks the payload of a `RESULT` in the operation at `index`. */
export function readResultReference(payload: unknown, index: number): ResultReference {
  if (!Array.isArray(payload)) throw malformedFrame('a reference is not a list');
  return new ResultReference(readAddress(payload[0], index), readPath(payload.slice(1)));
}
