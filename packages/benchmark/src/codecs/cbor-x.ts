// Its build for places without code generation. The main one looks when it is loaded whether it may generate code; today's
// Workers still may then and no longer while they answer requests, where it fails on the third object of a kind.
import { Encoder } from 'cbor-x/index-no-eval';
import type { Codec } from './codec.ts';

/**
 * One encoder for all messages, as its documentation advises, but none of the structures that messages can share: a
 * message must be readable without those before it. Of the other settings, `bundleStrings` was slower on every payload
 * and fails on cycles; `pack` takes twice the time for a sixth fewer bytes, and fails on cycles too.
 */
const encoder = new Encoder({ structuredClone: true, useRecords: true });

export const cborX: Codec = {
  name: 'cbor-x',
  kind: 'rival',
  settings: 'Encoder with structuredClone and useRecords, from cbor-x/index-no-eval',
  encode: (value) => encoder.encode(value),
  decode: (bytes: Uint8Array) => encoder.decode(bytes),
};
