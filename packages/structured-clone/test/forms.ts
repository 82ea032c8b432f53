import { type DecodeOptions, decode, type EncodeOptions, encode, parse, stringify } from '@lumenize/structured-clone';

/** One of the wire forms, so that a suite can run over all. */
export interface Form {
  name: string;
  write(value: unknown, options?: EncodeOptions): unknown;
  read(encoding: unknown, options?: DecodeOptions): unknown;
}

export const TEXT: Form = {
  name: 'text',
  write: stringify,
  read: (text, options) => parse(text as string, options),
};

export const MESSAGE: Form = {
  name: 'message',
  write: encode,
  read: (message, options) => decode(message as string | Uint8Array, options),
};

export const FORMS: readonly Form[] = [TEXT, MESSAGE];

/** Sends a value there and back. */
export function roundTrip(form: Form, value: unknown): unknown {
  return form.read(form.write(value));
}
