import { readId } from './extension.ts';
import { malformedFrame } from './malformed.ts';

/** A part of a larger frame. */
export interface FramePart {
  readonly kind: 'part';
  /** How many parts are still to come. */
  readonly remaining: number;
  readonly bytes: Uint8Array;
}

/** Checks what follows the kind of a frame that holds a part. */
export function readPart([remaining, bytes, ...rest]: unknown[]): FramePart {
  if (!(bytes instanceof Uint8Array) || bytes.length === 0 || rest.length > 0)
    throw malformedFrame('a part without bytes');
  return { kind: 'part', remaining: readId(remaining), bytes };
}
