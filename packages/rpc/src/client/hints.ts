import { lacking } from '../protocol/errors.ts';
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
import type { Extension } from '../session/extension.ts';
import { isByReference } from '../session/references/by-reference.ts';

/** Returns the row by which errors of a client that uses these extensions name the one that is missing. */
export function hintsFor(used: readonly Extension[]): Extension {
  const lacksWebValues = !used.some(({ name }) => name === 'webValues');
  return {
    name: 'hints',
    frames: {
      [PART]: {
        read() {
          throw lacking('messageParts', 'a part of a message');
        },
      },
    },
    needed(what) {
      const isName = typeof what === 'string';
      if (lacksWebValues && (isName ? /^[A-Z]/.test(what) : WEB.test(Object.prototype.toString.call(what))))
        return 'webValues';
      return isName ? Object.keys(NEEDED).find((extension) => NEEDED[extension].includes(what)) : neededFor(what);
    },
  };
}

/** The names that stand for values, by the extension that they need. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  references: [TARGET, FUNCTION, RESULT],
  streams: [READABLE, WRITABLE, ITERABLE, PROMISE, ABORT_SIGNAL],
  subscriptions: [TOPIC],
};

/** Names of the classes that the extension `webValues` carries. */
const WEB =
  /^.object (Array|RegExp|Number|String|Boolean|BigInt|DOMException|URL|URLSearchParams|Headers|FormData|Request|Response|Blob|File|Temporal\..*)]$/;

/** Returns the extension that a value needs to be sent; undefined if the library has none for it. */
function neededFor(value: object): string | undefined {
  if (isByReference(value)) return 'references';
  const isStreamed = value instanceof Promise || value instanceof WritableStream || value instanceof AbortSignal;
  return isStreamed || Symbol.asyncIterator in value ? 'streams' : undefined;
}
