import type { CloneError } from '@lumenize/structured-clone';
import type { RpcErrorCode } from '../errors/rpc-error.ts';

/** The code for an argument or a result that the codec refused to encode. */
export function unsendableCode({ message }: CloneError): RpcErrorCode {
  return message.startsWith('maxBytes') ? 'TOO_LARGE' : 'NOT_CLONEABLE';
}

/** What the codec says, in the words of this library's limits, and with what can be done. */
export function unsendableReason({ message }: CloneError): string {
  return message
    .replace(
      /^maxBytes of (\d+) exceeded$/,
      'larger than maxMessageBytes of $1: send it in pieces or as a stream, or raise the limit on both sides',
    )
    .replace(/yield$/, '$&, or an async generator')
    .replace(/: register the class,/, '$& let it extend RpcTarget,');
}

/** Whether a value was only refused because it holds a Blob, a Request or the like, whose bytes must be read first. */
export function needsBodies(error: unknown): boolean {
  return error instanceof Error && error.message.includes('that readBodies has not read');
}
