import { malformed, notAccepted } from '../core/clone-error.ts';
import type { DecodeOptions } from '../core/options.ts';
import { codecNamed } from '../types/registered.ts';

/** Makes what an extension stands for, whose kind is a registered class's name or a number that the options know. */
export function revive(kind: unknown, payload: unknown, { refuse, revive }: DecodeOptions): unknown {
  if (typeof kind === 'string') {
    const codec = codecNamed(kind);
    if (codec === undefined) throw notAccepted(`class ${kind}`, 'it is not registered');
    if (refuse?.includes(kind)) throw notAccepted(`class ${kind}`);
    return codec.decode(payload);
  }
  if (revive === undefined || !Number.isInteger(kind)) throw malformed('extension');
  return revive(kind as number, payload);
}
