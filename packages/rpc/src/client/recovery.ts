// What a client needs when its first connection has opened, or failed. Entry of a part: it only composes.
export { Authentication } from './authentication.ts';
export { Resending } from './resending.ts';
export { Upkeep } from './upkeep.ts';
