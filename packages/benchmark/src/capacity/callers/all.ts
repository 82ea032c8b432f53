import type { Connect } from './caller.ts';
import { capnweb } from './capnweb.ts';
import { lumenize } from './lumenize.ts';
import { raw } from './raw.ts';

/** The subjects of the family *capacity*, and how each connects. */
export const CALLERS = { lumenize, capnweb, raw } as const satisfies Readonly<Record<string, Connect>>;
export type CapacitySubject = keyof typeof CALLERS;
