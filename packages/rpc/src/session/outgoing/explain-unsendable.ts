import { CloneError } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { unsendableCode, unsendableReason } from '../../protocol/errors.ts';

/** Where the codec finds an argument, in an operation and in arguments alone. */
const IN_OPERATION = /^at value\[2\]\[(\d+)\]/;
export const IN_ARGUMENTS = /^at value\[(\d+)\]/;

/** Turns what writing an operation threw into the library's error, in the words of who made the call. */
export function explainUnsendable(error: unknown, name: string, place = IN_OPERATION): RpcError {
  if (error instanceof RpcError) return error;
  if (!(error instanceof CloneError)) {
    return new RpcError('NOT_CLONEABLE', `${name}(): an argument could not be read: ${error}`, { cause: error });
  }
  return new RpcError(
    unsendableCode(error),
    // The codec knows the whole operation as its value; its user knows the arguments.
    `${name}(): ${unsendableReason(error).replace(place, 'at argument $1')}`,
    { cause: error },
  );
}
