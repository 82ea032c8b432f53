import { Packr } from 'msgpackr';
import type { Codec } from './codec.ts';

/**
 * One packer for all messages, as its documentation advises, but none of the structures that messages can share: a
 * message must be readable without those before it. Without records it is slower, larger and loses Maps' values.
 */
const packr = new Packr({ structuredClone: true, moreTypes: true, useRecords: true });

export const msgpackr: Codec = {
  name: 'msgpackr',
  kind: 'rival',
  settings: 'Packr with structuredClone, moreTypes and useRecords',
  encode: (value) => packr.pack(value),
  decode: (bytes: Uint8Array) => packr.unpack(bytes),
};
