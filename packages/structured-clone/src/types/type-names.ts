import type { TypeName } from './type-handler.ts';

/** On the binary wire a type is its place in this list: append only. */
export const TYPE_NAMES: readonly TypeName[] = ['Map', 'Set', 'Date', 'RegExp', 'Error', 'ArrayBuffer', 'View'];
