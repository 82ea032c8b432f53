import { common } from './common.ts';
import { createTypes, type Types } from './find.ts';
import { registered } from './registered.ts';
import { web } from './web.ts';

let types: Types | undefined;

/**
 * Returns the table of all types, including registered classes. The table is created on first use, so importing this
 * module takes no time.
 */
export function allTypes(): Types {
  types ??= createTypes(common, web, registered);
  return types;
}
