import { describe, notCloneable } from '../core/clone-error.ts';
import type { EncodeOptions } from '../core/options.ts';
import type { ClassCodec } from '../types/registered.ts';

/** Returns what stands for an object that is of no type: the kind and payload that `revive` gets on the other side. */
export function extend(
  object: object,
  codec: ClassCodec<unknown> | undefined,
  options: EncodeOptions,
): { kind: string | number; payload: unknown } {
  const extension = codec ? { kind: codec.name, payload: codec.encode(object) } : options.extend?.(object);
  if (!extension) throw notCloneable(describe(object), object);
  return extension;
}
