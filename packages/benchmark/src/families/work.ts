import { FAMILY_HOSTS, familyProfile, familySubjects, type WorkFamily } from '../blocks/family-profiles.ts';
import type { BlockFindings } from '../blocks/record.ts';
import { blocksFamily } from './blocks.ts';
import type { Family } from './family.ts';

/** What each measures, and what is called. */
const TEXTS: Readonly<Record<WorkFamily, { readonly about: string; readonly configuration: readonly string[] }>> = {
  pipeline: {
    about: 'calls that build on other calls: chains, arguments, batches, map, callbacks',
    configuration: ['The same targets, made of either library’s RpcTarget; a fresh connection for each block'],
  },
  transports: {
    about: 'everything that carries calls; large values and streams',
    configuration: [
      'The same target, made of either library’s RpcTarget: in a Durable Object, behind ports in a thread; results are compared with what was sent; a fresh connection for each block',
    ],
  },
  events: {
    about: 'from publish() to every one of 1, 100 and 1000 subscribers',
    configuration: [
      'publish() to subscribers of one object, each on a connection of its own, one event at a time and 20 in one turn; ops are events; topics, and hand-written JSON and Cap’n Web callbacks with an SQLite row an event; every subscriber compares number, order and content; an audience of each size for each arm and launch, open from block to block, which has heard 13 events before any is timed; sockets as Node and the runtime make them, which compresses those of Cap’n Web and of hand-written JSON, while Lumenize RPC switches that off by default: “compression off” says what that is worth; nobody waits for what callbacks return, and it is disposed of at once, which favours Cap’n Web; frames and bytes are those of a delivery, counted for up to 100 subscribers over 128 events or more',
    ],
  },
  latency: {
    about: 'what each request of a gateway takes: ping; connecting with a token; making a session, and telling of it',
    configuration: [
      'The same gateway for all: ping() has no state; connecting is a new socket, a token with an HMAC that the server checks by WebCrypto, and the first result; createSession() checks a Valibot schema and a permission, makes a UUID, writes an SQLite row, replies, and tells 5 other clients, each of whom compares it with the reply; forged tokens and forbidden sessions have to be refused',
      'Tokens: with the upgrade, checked in the Worker (Lumenize RPC); by authenticate(token), whose result is called without waiting for it (Cap’n Web); in the first frame, beside its call (raw JSON)',
      'Sessions are told by a topic that retains nothing, which writes one row more, the number of its newest event (Lumenize RPC); by callbacks that the object keeps, and calls before it returns (Cap’n Web); by a frame to each socket, after the reply (raw JSON)',
      'Sockets as Node and the runtime make them, which compresses those of Cap’n Web and of hand-written JSON, while Lumenize RPC switches that off by default',
    ],
  },
};

/** Makes the family of that name, which has a Worker of its own. */
export function workFamily(name: WorkFamily): Family<BlockFindings> {
  const { about, configuration } = TEXTS[name];
  return blocksFamily({
    name,
    about,
    subjects: familySubjects(name),
    hosts: FAMILY_HOSTS,
    configuration,
    profile: (context) => familyProfile(name, context),
  });
}
