const OF_BOTH = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'WeakRef',
  'FinalizationRegistry',
  'WebSocket',
  'fetch',
  'console',
  'globalThis',
];

/** Names that code of a client finds in place of the machine's globals; see `client-globals.ts`. */
export const CLIENT_GLOBALS: ReadonlySet<string> = new Set(OF_BOTH);

/** Names that code of an object, or of a Worker, finds in place of the machine's globals; see `object-globals.ts`. */
export const OBJECT_GLOBALS: ReadonlySet<string> = new Set([
  ...OF_BOTH,
  'WebSocketPair',
  'WebSocketRequestResponsePair',
  'Request',
  'Response',
]);
