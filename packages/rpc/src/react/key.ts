import { nodeOf } from '../session/outgoing/node.ts';

/** What a call or subscription of a stub depends on, beside the stub: components that name the same key share what it gives. */
export type Key = string | number | readonly (string | number | boolean | null | undefined)[];

/**
 * Returns what a call or subscription belongs to, and its name there, so that both can be compared: stubs that differ in their options
 * only, which are made anew with every rendering, are the same.
 */
export function placeOf(stub: object, key: Key): [owner: object, name: string] {
  const node = nodeOf(stub);
  return [node?.base ?? node?.owner ?? stub, JSON.stringify([key, node?.path])];
}
