import { COMMON } from './common.ts';
import { createTypes } from './find.ts';
import { REGISTERED } from './registered.ts';
import type { Row } from './row.ts';
import { WEB } from './web.ts';

export const ROWS: readonly Row[] = [...COMMON, ...WEB, REGISTERED];

/** All types, and the classes that were registered. */
export const ALL = createTypes(ROWS);
