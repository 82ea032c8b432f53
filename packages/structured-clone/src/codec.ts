import { malformed, notAccepted } from './clone-error.ts';
import { checkBytes, checkLimit, checkText, type Limits, resolveLimits } from './limits.ts';
import { fromBase64, fromMessage, HEAD, type Message, toBase64, toMessage } from './message.ts';
import { type Reading, read } from './read.ts';
import { all } from './types/web.ts';
import { type Bodies, type Extension, isMarked, type Writing, writeShared } from './write.ts';

/** Options of encoding. */
export interface EncodeOptions {
  /** Limits on the value. Missing limits have their defaults. */
  limits?: Partial<Limits>;
  /** Includes the stacks of errors. @default false: a stack tells a stranger about the code it came from */
  errorStacks?: boolean;
  /** The result of `readBodies` for the value. @default none: values with a body, such as a Blob, are refused */
  bodies?: Bodies | undefined;
  /**
   * Called for functions and instances of unknown classes before they are refused. Returns how to encode the value, or
   * undefined to refuse it.
   */
  extend?: (value: object) => Extension | undefined;
}

/** Options of decoding. */
export interface DecodeOptions {
  /** Limits on the input and on the decoded value. Missing limits have their defaults. */
  limits?: Partial<Limits>;
  /** Names of types and registered classes to refuse, such as `['RegExp']` for input from strangers. @default none */
  refuse?: readonly string[];
  /**
   * Called to turn an extension back into a value. Errors that it throws pass through. Without it, extensions are
   * refused.
   */
  revive?: (name: string, parts: unknown[]) => unknown;
}

/** What a message that is nothing but a text begins with. JSON does not. */
const LONE_TEXT = "'";

/**
 * Encodes a value as a message. The message is text; if the value holds bytes, it is binary: the text, followed by the
 * bytes as they are.
 * @throws {CloneError} if the value holds something that cannot be cloned, with the path to it
 */
export function encode(value: unknown, options?: EncodeOptions): Message {
  // To make JSON of a long text, and a text for bytes, takes many times as long as all else.
  if (typeof value === 'string' && value.isWellFormed?.()) {
    checkBytes(value, 0, limitsOf(options));
    return LONE_TEXT + value;
  }
  if (value instanceof Uint8Array && Object.getPrototypeOf(value) === Uint8Array.prototype) {
    const { buffer, length } = value as Uint8Array<ArrayBuffer>;
    if (!buffer.resizable && !buffer.detached) {
      checkLimit('maxBytes', length, limitsOf(options));
      const message = new Uint8Array(HEAD + length);
      message.set(value, HEAD);
      return message;
    }
  }
  const tail: Uint8Array[] = [];
  const text = textOf(value, tail, undefined, options);
  return tail.length === 0 ? text : toMessage(text, tail);
}

/**
 * Decodes a message that `encode` returned. The result shares no memory with the message.
 * @throws {CloneError} if the message is malformed or exceeds a limit
 */
export function decode(message: string | Uint8Array | ArrayBuffer, options?: DecodeOptions): unknown {
  if (typeof message === 'string') {
    if (message[0] !== LONE_TEXT) return valueOf(message, undefined, undefined, options);
    const text = message.slice(1);
    checkBytes(text, 0, limitsOf(options));
    return text;
  }
  const bytes = message instanceof ArrayBuffer ? new Uint8Array(message) : message;
  // A text of no length.
  if (bytes[3] === 0 && !(bytes[0] | bytes[1] | bytes[2])) {
    if (options && own(options).refuse?.includes('Uint8Array')) notAccepted('Uint8Array');
    checkLimit('maxBytes', bytes.length - HEAD, limitsOf(options));
    return new Uint8Array(bytes.subarray(HEAD));
  }
  const { text, tail } = fromMessage(bytes);
  return valueOf(text, tail, undefined, options);
}

function limitsOf(options: EncodeOptions | DecodeOptions | undefined): Readonly<Limits> {
  return resolveLimits(options && own(options).limits);
}

/**
 * Encodes a value as text: plain JSON if JSON can represent the value, and JSON with marked objects otherwise.
 * @throws {CloneError} if the value holds something that cannot be cloned, with the path to it
 */
export function stringify(value: unknown, options?: EncodeOptions): string {
  return textOf(value, [], toBase64, options);
}

/**
 * Decodes a text that `stringify` returned. Plain JSON decodes to the value it represents.
 * @throws {CloneError} if the text is not JSON, misuses marks, or exceeds a limit
 */
export function parse(text: string, options?: DecodeOptions): unknown {
  return valueOf(text, undefined, fromBase64, options);
}

function textOf(value: unknown, tail: Uint8Array[], base64: Writing['base64'], options?: EncodeOptions): string {
  const { limits, bodies, errorStacks: stacks, extend } = options ? own(options) : NONE;
  return writeShared(value, { types: all, limits: resolveLimits(limits), tail, base64, bodies, stacks, extend });
}

function valueOf(
  text: string,
  tail: Uint8Array | undefined,
  base64: Reading['base64'],
  options?: DecodeOptions,
): unknown {
  const { limits: given, refuse, revive } = options ? own(options) : NONE;
  const limits = resolveLimits(given);
  const bytes = tail?.length ?? 0;
  // The first string of a text with marks. No regular expression: to make one takes longer than to read most texts.
  const mayBeMarked = text.startsWith('"$"', text.indexOf('"'));
  checkText(text, limits, bytes, mayBeMarked ? 2 : 1);
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    // The engine's own error would quote the input of others.
    malformed('it is not JSON');
  }
  let used = 0;
  // With a key beside `$`, it is data.
  if (mayBeMarked && isMarked(tree) && Object.keys(tree).length === 1) {
    const reading: Reading = { types: all, limits, tail, at: 0, base64, refuse, revive };
    tree = read(tree.$, reading);
    used = reading.at;
  } else if (mayBeMarked) checkText(text, limits, bytes, 1);
  if (used < bytes) malformed('bytes that nothing uses');
  return tree;
}

const NONE = { __proto__: null } as EncodeOptions & DecodeOptions;

/** Returns the options that were given, without any that all objects inherit. */
function own<Options extends object>(options: Options): Options {
  return { __proto__: null, ...options } as unknown as Options;
}
