import type { CloneError } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { RESENT } from '../../protocol/tags.ts';

/**
 * Adds to the error for a value that is not accepted which argument of which method holds it, and where. `text` is the
 * frame, and `at` the place of its entry. If the frame is sent again, `text` is that of the message around it. Returns
 * any other error unchanged.
 */
export function locateRefused(error: unknown, text: string, at: number): unknown {
  const { message } = error as CloneError;
  const [, name] = /^(?:class )?(\S+) is not accepted/.exec(message) ?? [];
  if (name === undefined) return error;
  // Read again, because the reader replaces what it has read.
  const read = JSON.parse(text);
  const entries = read[0] === RESENT ? read[3] : read;
  // It is not known yet to be an operation.
  const [, path, args] = Object.values(entries[at].$);
  return new RpcError('NOT_CLONEABLE', `${[path].flat().at(-1)}(): at argument ${placeIn(args, name)}: ${message}`);
}

/**
 * Returns the path to the first value of a type or class in a tree with marks; undefined if there is none. Inside of a
 * mark, such as that of a Map, the path is that in its content.
 */
function placeIn(tree: unknown, name: string, path?: string): string | undefined {
  if (typeof tree !== 'object' || tree === null) return undefined;
  let fields = tree;
  const [key, ...others] = Object.keys(tree);
  if (key?.[0] === '$' && others.length === 0) {
    fields = (tree as Record<string, object | null>)[key] ?? [];
    if (key === `$${name}` || (key === '$class' && (fields as unknown[])[0] === name)) return path;
  }
  for (const [key, item] of Object.entries(fields)) {
    const step = Array.isArray(fields) ? `[${key}]` : `.${key}`;
    const place = placeIn(item, name, path === undefined ? key : path + step);
    if (place !== undefined) return place;
  }
  return undefined;
}
