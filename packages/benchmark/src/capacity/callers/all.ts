import type { Connect } from './caller.ts';
import { capnweb, capnwebPlain } from './capnweb.ts';
import { lumenize } from './lumenize.ts';
import { raw, rawPlain } from './raw.ts';

/** The subjects of the family *capacity*, and how each connects. */
export const CALLERS = {
  lumenize,
  capnweb,
  'capnweb-plain': capnwebPlain,
  raw,
  'raw-plain': rawPlain,
} as const satisfies Readonly<Record<string, Connect>>;
export type CapacitySubject = keyof typeof CALLERS;
