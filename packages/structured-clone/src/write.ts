import { CloneError } from './clone-error.ts';
import { formOf, object, type State } from './form.ts';
import { checkBytes, checkLimit, type Limits } from './limits.ts';
import type { Types } from './types.ts';

/** Bodies read beforehand, by the Blob, File, Request or Response that they come from. */
export type Bodies = ReadonlyMap<object, Uint8Array>;

/** The encoding of a value that the codec does not support itself. */
export interface Extension {
  /**
   * A name that means the same on both sides. It begins with a small letter and is not one of the codec's own marks.
   */
  readonly name: string;
  /** The parts that `revive` gets on the other side: values of any kind that do not refer back to the extended value. */
  readonly parts: readonly unknown[];
}

/** How to write one value. */
export interface Writing {
  /** The types supported besides plain data. */
  readonly types: Types;
  /** The limits of the value. */
  readonly limits: Readonly<Limits>;
  /** Receives the bytes of the value, in order. */
  readonly tail: Uint8Array[];
  /** Encodes bytes into the text. The tail is then not used. */
  readonly base64?: ((bytes: Uint8Array) => string) | undefined;
  /** The result of `readBodies` for the value. */
  readonly bodies?: Bodies | undefined;
  /** True to include the stacks of errors. */
  readonly stacks?: boolean | undefined;
  /**
   * Asked for functions and for instances of all classes before the types are. Returns what to write for a value that is
   * passed by reference; undefined if it is data.
   */
  refer?(value: object): Extension | undefined;
  /** As `refer`, but asked only for what would be refused. */
  extend?(value: object): Extension | undefined;
}

/**
 * Returns the JSON text of a value. A text that begins with `{"$":` holds marks. If it throws, the tail is unchanged.
 * @throws {CloneError} if the value holds something that cannot be cloned, with the path to it
 */
export function write(value: unknown, writing: Writing): string {
  const { tail } = writing;
  const before = tail.length;
  const text = writeShared(value, writing);
  // The caller may change its buffers after the call.
  for (let at = before; at < tail.length; at++) tail[at] = tail[at].slice();
  return text;
}

/** Returns true for parsed JSON that holds marks. */
export function isMarked(tree: unknown): tree is { $: unknown } {
  return typeof tree === 'object' && tree !== null && Object.hasOwn(tree, '$') && !Array.isArray(tree);
}

/**
 * As `write`, but the bytes in the tail are still in the memory of the value.
 * @param shared The buffers that several objects of the value use, if that is known.
 */
export function writeShared(value: unknown, writing: Writing, shared?: State['shared']): string {
  const { limits, tail } = writing;
  const before = tail.length;
  const state: State = { writing, limits, depth: 0, weight: 0, bytes: 0, path: '', shared };
  let isBuilt = false;
  try {
    const form = typeof value === 'object' && value ? object(value, state) : formOf(value, state);
    if (state.shared && !shared) {
      // That a buffer is shared is only known when it is used again. By then its first view was written without it.
      tail.length = before;
      return writeShared(value, writing, state.shared);
    }
    isBuilt = true;
    // Code of others may have given all objects a `toJSON` method. A form has none of its own.
    const json = 'toJSON' in [] ? withoutMethods(form) : JSON.stringify(form);
    isBuilt = false;
    const text = state.hasMarks ? `{"$":${json}}` : json;
    checkBytes(text, state.bytes, limits);
    return text;
  } catch (error) {
    tail.length = before;
    // The text is longer than a string can be.
    if (isBuilt) checkLimit('maxBytes', Number.POSITIVE_INFINITY, limits);
    if (error !== state) throw error;
    throw new CloneError('NOT_CLONEABLE', state.refused!, `value${state.path}`);
  }
}

/** Returns the JSON of a form, whatever all objects inherit. */
function withoutMethods(form: unknown): string {
  if (typeof form !== 'object' || !form) return JSON.stringify(form);
  if (Array.isArray(form)) return `[${form.map(withoutMethods)}]`;
  return `{${Object.entries(form).map(([key, item]) => `${JSON.stringify(key)}:${withoutMethods(item)}`)}}`;
}
