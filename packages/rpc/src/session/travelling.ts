import type { Extension } from '@lumenize/structured-clone';
import { missingExtensionError } from '../protocol/errors.ts';
import { RESULT, VALUE } from '../protocol/tags.ts';
import type { Made } from './extension.ts';
import { Call, type Passed } from './outgoing/call.ts';
import { FailedResult, type Node, nodeOf, settledNode } from './outgoing/node.ts';
import type { SessionSettings } from './settings.ts';

// Encodes the values that the codec does not carry. A stub of this connection travels back as the value
// that it stands for. Other values travel as the rows of extensions define.

/** The part of a session that values which travel by reference need. */
export interface TravelHost {
  readonly settings: SessionSettings;
  /**
   * The references made for the value that is being written. They are noted because the encoder may visit the value
   * twice. Undefined if there are none.
   */
  made: Map<object, MadeReference> | undefined;
  readonly outgoing: { address(node: Node): number };
}

/** A reference made for a value that is being written. */
export type MadeReference = Made & Passed;

/** Returns how to encode a value, as an argument or elsewhere; undefined for a value that cannot be sent. */
export function extend(host: TravelHost, value: object, isArgument = false): Extension | undefined {
  const made = host.made?.get(value);
  if (made !== undefined) return made.extension;
  const node = nodeOf(value);
  return node?.owner === host ? back(host, value, node, isArgument) : note(host, value, value, isArgument);
}

/**
 * Keeps the references made for a value after it was written, or takes them back if writing it failed. `call` is the
 * call that the value is an argument of. Returns the references, if there are any.
 */
export function written(host: TravelHost, isKept: boolean, call?: Call): readonly Passed[] | undefined {
  if (host.made === undefined) return undefined;
  const made = [...host.made.values()];
  host.made = undefined;
  for (const each of made) {
    if (isKept) each.keep?.(call);
    else each.takeBack(false);
  }
  return made;
}

/** Encodes a stub of this connection. Its value is on the other side, has arrived from there, or is on its way. */
function back(host: TravelHost, stub: object, node: Node, isArgument: boolean): Extension | undefined {
  if (node.base instanceof Call && node.base.outcome !== undefined) {
    const reached = settledNode(node, host.settings.tables.members);
    if (!('ok' in reached)) return back(host, stub, reached, isArgument);
    if (!reached.ok) throw new FailedResult(reached.error);
    return { name: VALUE, parts: [reached.value] };
  }
  // Only arguments can refer to a result that has not arrived. Elsewhere it travels as a promise.
  if (isArgument || isWhole(node)) return { name: RESULT, parts: [host.outgoing.address(node), ...node.path] };
  const promise = Promise.resolve(stub as PromiseLike<unknown>);
  promise.catch(() => {}); // the peer is told of a failure; if even that cannot be sent, nobody is
  return note(host, stub, promise, false);
}

/** Encodes a value with the first extension that knows it, and notes it under `key`. */
function note(host: TravelHost, key: object, value: object, isArgument: boolean): Extension | undefined {
  for (const kind of host.settings.tables.writers) {
    const made = kind.write!(value, host, isArgument);
    if (made === undefined) continue;
    if (made.takeBack === undefined) return made.extension;
    host.made ??= new Map();
    host.made.set(key, made as MadeReference);
    return made.extension;
  }
  const needed = host.settings.tables.needed?.(value);
  if (needed !== undefined) throw missingExtensionError(needed, 'a value');
  return undefined;
}

/** Returns true if a stub stands for a reference or the peer's target itself, not for a part or a call's result. */
export function isWhole({ base, path }: Node): boolean {
  return !(base instanceof Call) && path.length === 0;
}
