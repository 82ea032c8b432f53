import type { Extension } from '../session/extension.ts';
import { mapping } from './mapping/index.ts';
import { references } from './references/index.ts';
import { renewal } from './renewal/index.ts';
import { streams } from './streams/index.ts';
import { subscriptions } from './subscriptions/index.ts';
import { webValues } from './web-values/index.ts';

/** All extensions that the library has for clients. */
export const ALL: readonly Extension[] = [mapping, references, renewal, streams, subscriptions, webValues];
