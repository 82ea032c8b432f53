import { malformed } from './clone-error.ts';

/** Arguments that a call may have without running into an engine's limit; three bytes are four digits. */
const STEP = 3 * 2048;

/** Bytes of newer engines, which have a method for it. */
type Native = Uint8Array & { toBase64?(): string };

export function toBase64(bytes: Uint8Array): string {
  const { toBase64 } = bytes as Native;
  if (toBase64) return toBase64.call(bytes);
  let text = '';
  for (let at = 0; at < bytes.length; at += STEP) {
    // A list of arguments is read as it is; spread, it would be iterated over.
    text += btoa(String.fromCharCode.apply(null, bytes.subarray(at, at + STEP) as unknown as number[]));
  }
  return text;
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw malformed('bytes are not base64');
  }
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
