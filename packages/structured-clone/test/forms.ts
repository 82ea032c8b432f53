import { type DecodeOptions, decode, type EncodeOptions, encode } from '@lumenize/structured-clone';
import { fromBase64, toBase64 } from '../src/core/base64.ts';
import { readText } from '../src/core/decode.ts';
import { textOf } from '../src/core/encode.ts';
import { fromMessage, type Message, toMessage } from '../src/core/message.ts';
import { located } from '../src/core/path.ts';
import { ALL } from '../src/types/all.ts';
import { common } from '../src/types/common.ts';
import { createTypes, type Types } from '../src/types/find.ts';
import { registered } from '../src/types/registered.ts';
import { web } from '../src/types/web.ts';

/** One of the wire forms, so that a suite can run over all. */
export interface Form {
  name: string;
  write(value: unknown, options?: EncodeOptions): unknown;
  read(encoding: unknown, options?: DecodeOptions): unknown;
}

const known = new WeakMap<object, Types>();

/** Returns the types with a row that does what `extend` and `revive` do in the binary form. */
export function typesFor(options: (EncodeOptions & DecodeOptions) | undefined): Types {
  const { extend, revive } = options ?? {};
  if (!options || !(extend || revive)) return ALL;
  const made = known.get(options);
  if (made) return made;
  const types = createTypes(common, web, registered, () => [
    {
      name: 'extension',
      is: (value) => ALL.find(value, Object.getPrototypeOf(value)) === undefined && extend?.(value) !== undefined,
      parts(value) {
        const { kind, payload } = extend!(value)!;
        return [kind, payload];
      },
      make: ([kind, payload]) => revive!(kind, payload),
    },
  ]);
  known.set(options, types);
  return types;
}

export const TEXT: Form = {
  name: 'text',
  write: (value, options) => textOf(value, { types: typesFor(options), base64: toBase64, locate: located }, options),
  read: (text, options) => readText(text as string, { types: typesFor(options), base64: fromBase64 }, options),
};

export const MESSAGE: Form = {
  name: 'message',
  write(value, options) {
    const tail: Uint8Array[] = [];
    return toMessage(textOf(value, { types: typesFor(options), tail, locate: located }, options), tail);
  },
  read(message, options) {
    const { text, tail } = fromMessage(message as Message);
    return readText(text, { types: typesFor(options), tail }, options);
  },
};

export const FORMS: readonly Form[] = [
  { name: 'bytes', write: encode, read: (encoding, options) => decode(encoding as Uint8Array, options) },
  TEXT,
  MESSAGE,
];

/** Sends a value there and back. */
export function roundTrip(form: Form, value: unknown): unknown {
  return form.read(form.write(value));
}
