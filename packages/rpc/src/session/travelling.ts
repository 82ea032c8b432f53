import type { Extension } from '@lumenize/structured-clone';
import { lacking, malformedFrame } from '../protocol/errors.ts';
import {
  ABORT_SIGNAL,
  FUNCTION,
  ITERABLE,
  PROMISE,
  READABLE,
  RESULT,
  TARGET,
  TOPIC,
  VALUE,
  WRITABLE,
} from '../protocol/tags.ts';
import type { Made } from './extension.ts';
import { Call, type Passed } from './outgoing/call.ts';
import { FailedResult, type Node, nodeOf, outcomeOfBase, settledNode } from './outgoing/node.ts';
import { isByReference } from './references/by-reference.ts';
import type { SessionSettings } from './settings.ts';

/** Part of a session that values which travel by reference need. */
interface TravelHost {
  readonly settings: SessionSettings;
  readonly outgoing: { address(node: Node): number };
}

type Written = Made & Passed;

/**
 * Writes and reads values that the codec does not carry: stubs back to what they stand for, and others as the rows of
 * extensions say.
 */
export class Travelling {
  readonly #host: TravelHost;
  /** References made for the value being written, which may be gone through twice. */
  #made: Map<object, Written> | undefined;

  constructor(host: TravelHost) {
    this.#host = host;
  }

  /** Says how a value travels, among the arguments of a call or elsewhere; undefined for what does not. */
  extend(value: object, isArgument = false): Extension | undefined {
    const node = nodeOf(value);
    if (node !== undefined && node.owner === this.#host) return this.#back(value, node, isArgument);
    return this.#made?.get(value)?.extension ?? this.#note(value, value, isArgument);
  }

  /**
   * Told after a value was written, or failed to be: what was noted as sent stays so, or is taken back. `call`: the one that
   * it is an argument of. Returns what was sent by reference, if anything was.
   */
  written(kept: boolean, call?: Call): readonly Passed[] | undefined {
    if (this.#made === undefined || this.#made.size === 0) return undefined;
    const made = [...this.#made.values()];
    this.#made.clear();
    for (const each of made) {
      if (kept) each.keep?.(call);
      else each.takeBack();
    }
    return made;
  }

  /** Makes what an extension of the codec stands for, in the arguments of the call `argumentOf`, in the result of `resultOf`, or elsewhere. */
  revive(name: string, parts: unknown[], argumentOf?: number, resultOf?: number): unknown {
    if (name === VALUE) return parts[0];
    const kind = this.#host.settings.tables.values.get(name);
    if (kind?.read !== undefined) return kind.read(name, parts, this.#host, argumentOf, resultOf);
    const needed =
      this.#lacksWebValues && /^[A-Z]/.test(name)
        ? 'webValues'
        : Object.keys(NEEDED).find((extension) => NEEDED[extension].includes(name));
    throw needed === undefined ? malformedFrame(`type ${name} is unknown`) : lacking(needed, `a value (${name})`);
  }

  /** A stub of this connection: what it stands for is on the other side, has arrived from there, or is on its way. */
  #back(stub: object, node: Node, isArgument: boolean): Extension | undefined {
    const outcome = outcomeOfBase(node);
    if (outcome !== undefined) {
      const reached = settledNode(node, outcome, this.#host.settings.tables.members);
      if (!('ok' in reached)) return this.#back(stub, reached, isArgument);
      if (!reached.ok) throw new FailedResult(reached.error);
      return { name: VALUE, parts: [reached.value] };
    }
    // Only arguments can name a result that is not there yet: anywhere else it is a promise.
    if (isArgument || isWhole(node)) return { name: RESULT, parts: [this.#host.outgoing.address(node), ...node.path] };
    const made = this.#made?.get(stub);
    if (made !== undefined) return made.extension;
    const promise = Promise.resolve(stub as PromiseLike<unknown>);
    promise.catch(() => {}); // the other side is told; and if not even that can be sent, nobody
    return this.#note(stub, promise, false);
  }

  get #lacksWebValues(): boolean {
    return !this.#host.settings.tables.types.byMark.has('$URL');
  }

  /** Has the first extension that knows a value send it, in place of `key`. */
  #note(key: object, value: object, isArgument: boolean): Extension | undefined {
    for (const kind of this.#host.settings.tables.writers) {
      const made = kind.write!(value, this.#host, isArgument);
      if (made === undefined) continue;
      if (made.takeBack === undefined) return made.extension;
      this.#made ??= new Map();
      this.#made.set(key, made as Written);
      return made.extension;
    }
    const isWeb = this.#lacksWebValues && WEB.test(Object.prototype.toString.call(value));
    const needed = isWeb ? 'webValues' : neededFor(value);
    if (needed !== undefined) throw lacking(needed, 'a value');
    return undefined;
  }
}

/** Returns true if a stub stands for a reference, and not for a part or a result of something. */
function isWhole({ base, path }: Node): boolean {
  return base !== undefined && !(base instanceof Call) && path.length === 0;
}

/** The names that stand for values, by the extension that they need: what a session without one says. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  references: [TARGET, FUNCTION, RESULT],
  streams: [READABLE, WRITABLE, ITERABLE, PROMISE, ABORT_SIGNAL],
  subscriptions: [TOPIC],
};

/** Names of the classes that the extension `webValues` carries. */
const WEB =
  /^.object (Array|RegExp|Number|String|Boolean|BigInt|DOMException|URL|URLSearchParams|Headers|FormData|Request|Response|Blob|File|Temporal\..*)]$/;

/** The extension that a value needs to be sent, where it is one of the library's. */
function neededFor(value: object): string | undefined {
  if (isByReference(value)) return 'references';
  const isStreamed = value instanceof Promise || value instanceof WritableStream || value instanceof AbortSignal;
  return isStreamed || Symbol.asyncIterator in value ? 'streams' : undefined;
}
