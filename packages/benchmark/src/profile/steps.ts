import type { SourceFunction } from './locate.ts';

/** The two sides of a call. */
export type Side = 'client' | 'server';

/** Where a call's time goes, in the order in which tables show it. */
export const STEPS = {
  call: 'making the call: stubs, promises, the table of calls',
  encode: 'values to bytes or text',
  framing: 'what stands around values in a frame, written and read',
  send: 'to the socket: library, platform, system call',
  receive: 'from the socket: platform, event, library',
  decode: 'bytes or text to values',
  dispatch: 'finding what is called, checks, calling it',
  execute: 'the method itself, with its storage',
  reply: 'the server: making the answer; the client: giving it to its caller',
  connect: 'opening, accepting and closing connections',
  whole: 'raw: reading, calling and answering, which are one function',
  garbage: 'collecting garbage',
  native: 'the engine and the platform, for nobody who can be named',
  driver: 'the loop that makes and verifies calls',
  other: 'all else',
} as const;

/** The name of a step. */
export type Step = keyof typeof STEPS;

interface Row {
  readonly path: RegExp;
  /** Of functions of these names only. */
  readonly name?: RegExp;
  /** On this side only. */
  readonly side?: Side;
  readonly step: Step;
}

const row = (path: RegExp, step: Step, only: Pick<Row, 'name' | 'side'> = {}): Row => ({ path, step, ...only });

const CAPNWEB = (file: string) => new RegExp(`node_modules/capnweb/src/${file}\\.ts$`);

/** What belongs to which step: the first row that fits. What no row fits is shown as `other`. */
const TABLE: readonly Row[] = [
  // Lumenize RPC.
  row(/structured-clone\/src\/text\/stringify/, 'encode'),
  row(/structured-clone\/src\/text\/parse/, 'decode'),
  row(/structured-clone\/src\/.*(decoder|reader|put-together|revive|object-fillers|string-cache)/, 'decode'),
  row(/structured-clone\/src\//, 'encode', { name: /encode|write|stringify|append|shape|size|room/i }),
  row(/structured-clone\/src\//, 'decode', { name: /decode|read|parse|revive/i }),
  row(/structured-clone\/src\//, 'encode'),
  row(/rpc\/src\/transport\//, 'send', { name: /send|flush|post/i }),
  row(/rpc\/src\/transport\//, 'connect', { name: /open|connect|close/i }),
  row(/rpc\/src\/transport\//, 'receive'),
  row(/rpc\/src\/client\/link\./, 'receive', { name: /received/ }),
  row(/rpc\/src\/client\/link\./, 'send', { name: /send/ }),
  row(/rpc\/src\/client\/(link|connect|connection|backoff|wake|authentication|offer)\./, 'connect'),
  row(/rpc\/src\/(client|server|session)\/session\./, 'send', { name: /send/i }),
  row(/rpc\/src\/(client|server|session)\/session\./, 'receive', { name: /receive|message/i }),
  row(/rpc\/src\/server\/(durable-rpc-server|rpc-object|connections\/sockets)/, 'receive', { name: /message/i }),
  row(/rpc\/src\/server\/(durable-rpc-server|connections\/)/, 'send', { name: /send/i }),
  row(/rpc\/src\/server\/(route-rpc|durable-rpc-server|rpc-object|serve|access|connections|server-context)/, 'connect'),
  row(/rpc\/src\/protocol\//, 'framing'),
  row(/rpc\/src\/session\/outgoing\/call-writer/, 'framing'),
  row(/rpc\/src\/session\/incoming\/(replies|result-|held-results)/, 'reply'),
  row(/rpc\/src\/session\/(incoming|references|travelling)/, 'dispatch', { side: 'server' }),
  row(/rpc\/src\/session\/outgoing\//, 'reply', { name: /settle|receive|result|answer|deliver/i, side: 'client' }),
  row(/rpc\/src\/session\/(outgoing|references|travelling|turn|timer)/, 'call', { side: 'client' }),
  row(/rpc\/src\/client\//, 'call'),
  row(/rpc\/src\/(session|server)\//, 'dispatch', { side: 'server' }),
  row(/rpc\/src\/session\//, 'call', { side: 'client' }),

  // Cap'n Web, by the names that its functions have in the version that is pinned.
  row(CAPNWEB('serialize'), 'encode', { name: /devaluat|serialize|export|source/i }),
  row(CAPNWEB('serialize'), 'decode'),
  row(CAPNWEB('websocket'), 'send', { name: /send/ }),
  row(CAPNWEB('websocket'), 'receive', { name: /receive|message|^\(anonymous\)$/i }),
  row(CAPNWEB('websocket'), 'connect'),
  row(CAPNWEB('rpc'), 'framing', { name: /^(send|readLoop|readLoopImpl)$/ }),
  row(CAPNWEB('rpc'), 'reply', { name: /resolve|export|pull|release|import/i }),
  row(CAPNWEB('rpc'), 'call', { side: 'client' }),
  row(CAPNWEB('rpc'), 'dispatch', { side: 'server' }),
  row(CAPNWEB('batch'), 'connect'),
  row(CAPNWEB('core'), 'call', { side: 'client' }),
  row(CAPNWEB('core'), 'dispatch', { side: 'server' }),
  row(CAPNWEB('.*'), 'call', { side: 'client' }),
  row(CAPNWEB('.*'), 'dispatch', { side: 'server' }),

  // Hand-written JSON.
  row(/benchmark\/worker\/work-raw/, 'whole', { name: /webSocketMessage/ }),
  row(/benchmark\/src\/subjects\/raw-client/, 'connect', { name: /^connect$/ }),
  row(/benchmark\/src\/subjects\/raw-client/, 'whole'),
  row(/benchmark\/src\/subjects\/raw/, 'call'),

  // What is called, and what calls.
  row(/benchmark\/src\/work\//, 'execute'),
  row(/benchmark\/worker\//, 'connect', { name: /fetch/ }),
  row(/benchmark\/(worker|src\/events)\//, 'execute'),
  row(/benchmark\/src\//, 'driver', { side: 'client' }),
  row(/transformation-dev\/debug/, 'driver'),
];

/** What Node does, where its function says for which of the two; streams and buffers serve both, and their callers tell. */
const NODE_TABLE: readonly Row[] = [
  row(/^node:internal\/stream_base_commons/, 'receive', { name: /onStreamRead/ }),
  row(/^node:internal\/stream_base_commons/, 'send'),
  row(/^node:(zlib|internal\/streams\/readable)/, 'receive'),
  row(/^node:internal\/deps\/undici/, 'send', { name: /^(send|add|createFrame|createFastTextFrame|#runFrame|#run)$/ }),
  row(/^node:internal\/deps\/undici/, 'connect', {
    name: /^(execute|readMore|onUpgrade|httpNetworkFetch|mainFetch|processResponse|#onSocketClose|destroy)$/,
  }),
  row(/^node:internal\/deps\/undici/, 'receive', {
    name: /^(run|consume|_write|parse.*|#?onMessage|fireEvent|#parser)$/,
  }),
];

/** What is left of it, where nobody on the stack tells. */
const NODE_REST: readonly Row[] = [
  row(/^node:internal\/streams\/writable/, 'send'),
  row(/^node:internal\/deps\/undici/, 'receive'),
];

/** Returns the step of a library's or the benchmark's own function; `other` where the table does not know it. */
export function stepOf(written: SourceFunction, side: Side): Step {
  return find(TABLE, written, side) ?? 'other';
}

/** Returns the step of a function of Node's, where it says so by itself. */
export function nodeStepOf(called: SourceFunction, side: Side): Step | undefined {
  return find(NODE_TABLE, called, side);
}

/** Returns the step of a function of Node's that nobody else's code is on the stack with. */
export function lonelyNodeStepOf(called: SourceFunction, side: Side): Step | undefined {
  return find(NODE_REST, called, side);
}

function find(table: readonly Row[], { file, name }: SourceFunction, on: Side): Step | undefined {
  // esbuild tells functions of one name apart by a number behind it.
  const plain = name.replace(/\d+$/, '');
  return table.find((each) => each.path.test(file) && (each.side ?? on) === on && (each.name?.test(plain) ?? true))
    ?.step;
}
