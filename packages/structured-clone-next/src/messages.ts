// What protocols use to put values into messages of their own.

export { checkText } from './check-text.ts';
export { CloneError, type CloneErrorCode } from './clone-error.ts';
export { type Limits, resolveLimits } from './limits.ts';
export { fromMessage, type Message, toMessage } from './message.ts';
export { type Reading, read } from './read.ts';
export { common } from './types/common.ts';
export type { Types } from './types/types.ts';
export { type Bodies, type Extension, isMarked, type Writing, write } from './write.ts';
