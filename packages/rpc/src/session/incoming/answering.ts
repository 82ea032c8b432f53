import { createCallReader } from '../../protocol/call-reader.ts';
import type { Answering } from '../extension.ts';
import type { Peer } from '../peer.ts';
import { Incoming } from './incoming.ts';
import { callFunction, callMember, readMember } from './members.ts';
import { runFrame } from './run.ts';

/** Answers calls of the other side: servers do, and clients that pass targets and functions. */
export const ANSWERING: Answering = {
  createReader: createCallReader,
  create(session: Peer): Incoming {
    return new Incoming(session);
  },
  run: runFrame,
  members: { read: readMember, call: callMember, apply: callFunction },
};
