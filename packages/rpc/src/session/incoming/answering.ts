// What a client loads when it is to answer calls. Entry of a part: it only composes.
export { createCallReader } from '../../protocol/call-reader.ts';
export { goOn, settledNode } from '../outgoing/settled-node.ts';
export { dispose } from '../references/dispose.ts';
export { Exports } from '../references/exports.ts';
export { Incoming } from './incoming.ts';
