import type { RowGroup } from '../row.ts';
import { BINARY } from './binary.ts';
import { BUILT_INS } from './built-ins.ts';
import { CLASSES } from './classes.ts';
import { ERRORS } from './errors.ts';
import { IDENTITY } from './identity.ts';
import { PLAIN } from './plain.ts';
import { PRIMITIVES } from './primitives.ts';
import { WEB } from './web.ts';

/** Every row of the table. */
export const ROW_GROUPS: readonly RowGroup[] = [PRIMITIVES, PLAIN, BUILT_INS, BINARY, ERRORS, WEB, IDENTITY, CLASSES];
