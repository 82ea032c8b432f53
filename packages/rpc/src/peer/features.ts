import { bodies } from './bodies.ts';
import type { Feature } from './options.ts';
import { mapping } from './recording.ts';
import { references } from './references.ts';
import { streams } from './streams.ts';

/** All that a connection can do. Recordings come first: a callback of `map` is a function, too. */
export const everything: readonly Feature[] = [mapping, references, streams, bodies];
