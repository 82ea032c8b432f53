import { capnweb } from './capnweb.ts';
import { cborX } from './cbor-x.ts';
import type { Codec } from './codec.ts';
import { copy } from './copy.ts';
import { devalue } from './devalue.ts';
import { json } from './json.ts';
import { lumenize } from './lumenize.ts';
import { lumenizeText } from './lumenize-text.ts';
import { msgpackr } from './msgpackr.ts';
import { seroval } from './seroval.ts';
import { platformClone } from './structured-clone.ts';
import { superjson } from './superjson.ts';

/** The codecs that run in a Worker too, in the order in which tables show them. */
export const PORTABLE_CODECS: readonly Codec[] = [
  lumenize,
  lumenizeText,
  json,
  platformClone,
  devalue,
  superjson,
  seroval,
  cborX,
  msgpackr,
  capnweb,
  copy,
];
