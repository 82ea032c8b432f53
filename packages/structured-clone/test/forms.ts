import { type DecodeOptions, decode, type EncodeOptions, encode, parse, stringify } from '@lumenize/structured-clone';

/** One of the two wire forms, so that a suite can run over both. */
export interface Form {
  name: string;
  write(value: unknown, options?: EncodeOptions): unknown;
  read(encoding: unknown, options?: DecodeOptions): unknown;
}

export const FORMS: readonly Form[] = [
  { name: 'bytes', write: encode, read: (encoding, options) => decode(encoding as Uint8Array, options) },
  { name: 'text', write: stringify, read: (encoding, options) => parse(encoding as string, options) },
];

/** Sends a value there and back. */
export function roundTrip(form: Form, value: unknown): unknown {
  return form.read(form.write(value));
}
