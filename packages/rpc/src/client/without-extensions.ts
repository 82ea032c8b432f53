import { missingExtensionError } from '../protocol/errors.ts';
import {
  ABORT_SIGNAL,
  FUNCTION,
  ITERABLE,
  PART,
  PROMISE,
  READABLE,
  RESULT,
  TARGET,
  TOPIC,
  WRITABLE,
} from '../protocol/tags.ts';
import { hasBrand } from '../session/brand.ts';
import { isReadOnlyMethod, type Members, notFound, readData } from '../session/data-members.ts';
import type { Extension } from '../session/extension.ts';
import { isByReference } from '../session/references/by-reference.ts';

/**
 * Returns the row of a client that chooses its extensions. Without references, all results are data, and their members
 * are those of data. Errors name the extension that is missing.
 */
export function withoutExtensions(used: readonly Extension[]): Extension {
  const lacksWebValues = !used.some(({ name }) => name === 'webValues');
  return {
    name: 'without extensions',
    members: DATA_MEMBERS,
    frames: {
      [PART]: {
        read() {
          throw missingExtensionError('messageParts', 'a part of a message');
        },
      },
    },
    needed(what) {
      const isName = typeof what === 'string';
      if (lacksWebValues && (isName ? /^[A-Z]/.test(what) : WEB.test(Object.prototype.toString.call(what))))
        return 'webValues';
      return isName ? NEEDED.find(([, ...names]) => names.includes(what))?.[0] : neededFor(what);
    },
  };
}

/** Reads properties and calls methods of data. */
const DATA_MEMBERS: Members = {
  read: readData,
  call(receiver, name, args) {
    if (!isReadOnlyMethod(receiver, name)) throw notFound('method', name);
    return Reflect.apply((receiver as Record<string, () => unknown>)[name], receiver, args);
  },
  apply() {
    throw notFound('function', 'call');
  },
};

/** The names of extensions, each with the names of the values that need it. */
const NEEDED: readonly (readonly string[])[] = [
  ['references', TARGET, FUNCTION, RESULT],
  ['streams', READABLE, WRITABLE, ITERABLE, PROMISE, ABORT_SIGNAL],
  ['subscriptions', TOPIC],
];

/** Names of the classes that the extension `webValues` carries. */
const WEB =
  /^.object (Array|RegExp|Number|String|Boolean|BigInt|URL|URLSearchParams|Headers|FormData|Request|Response|Blob|File|Temporal\..*)]$/;

/** Returns the extension that a value needs to be sent; undefined if the library has none for it. */
function neededFor(value: object): string | undefined {
  if (isByReference(value)) return 'references';
  const isStreamed = (['Promise', 'WritableStream', 'AbortSignal'] as const).some((name) => hasBrand(value, name));
  return isStreamed || Symbol.asyncIterator in value ? 'streams' : undefined;
}
