import { bodies } from './bodies.ts';
import type { Feature } from './options.ts';
import { references } from './references.ts';
import { streams } from './streams.ts';

/** What both sides can pass. */
export const everything: readonly Feature[] = [references, streams, bodies];
