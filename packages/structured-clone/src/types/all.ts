import { common } from './common.ts';
import { createTypes, type Types } from './find.ts';
import { registered } from './registered.ts';
import { web } from './web.ts';

/** All types, and the classes that were registered. */
export const ALL: Types = /* @__PURE__ */ createTypes(common, web, registered);
