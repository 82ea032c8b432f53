// What protocols put several values into one message with.

export { checkUsed, isMarked, type Reading, Reviver, readText, readTree } from './core/decode.ts';
export { textOf, type Writing } from './core/encode.ts';
export { countOpened, resolveLimits } from './core/limits.ts';
export { fromMessage, type Message, toMessage } from './core/message.ts';
export { located } from './core/path.ts';
export { ALL } from './types/all.ts';
export { common } from './types/common.ts';
export { createTypes, type Types } from './types/find.ts';
export { registered } from './types/registered.ts';
export type { From, Row, To } from './types/row.ts';
export { web } from './types/web.ts';
