import { malformed } from './clone-error.ts';

/**
 * The number of bytes per call: few enough not to reach an engine's limit on arguments. A multiple of three, because
 * three bytes are four digits.
 */
const STEP = 3 * 2048;

/** Bytes in newer engines, which have a method for base64. */
type Native = Uint8Array & { toBase64?(): string };

export function toBase64(bytes: Uint8Array): string {
  const { toBase64 } = bytes as Native;
  if (toBase64) return toBase64.call(bytes);
  let text = '';
  for (let at = 0; at < bytes.length; at += STEP) {
    // `apply` reads a list of arguments as it is; a spread would iterate over it.
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
