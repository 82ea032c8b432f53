import type { Encoder } from '@lumenize/structured-clone';
import { createEncoderAsking } from '@lumenize/structured-clone/demand';

/** Makes an encoder for what the library itself puts together: nobody needs the path to what cannot be sent. */
export function createOwnEncoder(): Encoder {
  return createEncoderAsking(() => (error) => error);
}
