// What a session needs for more than plain calls and their results. Entry of a part: it only composes.

export { located, RARE } from '@lumenize/structured-clone/supply';
export { MessageParts } from './message-parts.ts';
export { unwritten } from './outgoing/unwritten.ts';
export { Imports } from './references/imports.ts';
export { Travelling } from './travelling.ts';
