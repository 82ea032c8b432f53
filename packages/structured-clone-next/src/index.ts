import { fromMessage, toMessage } from './message.ts';
import { common } from './types/common.ts';
import { resolveLimits } from './limits.ts';
import { isMarked, write } from './write.ts';
import { read } from './read.ts';
export const encode = (v: unknown, _o?: unknown) => { const tail: Uint8Array[] = []; return toMessage(write(v, { types: common, limits: resolveLimits(undefined), tail }), tail); };
export const decode = (m: any) => { const { text, tail } = fromMessage(typeof m === 'string' ? m : new Uint8Array(m)); const t = JSON.parse(text); return isMarked(t) ? read(t.$, { types: common, limits: resolveLimits(undefined), tail, at: 0 }) : t; };
export const stringify = (v: unknown) => write(v, { types: common, limits: resolveLimits(undefined), tail: [] });
export const parse = decode;
