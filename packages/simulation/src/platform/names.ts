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

/** The names of globals that are replaced for client code; see `client-globals.ts`. */
export const CLIENT_GLOBALS: ReadonlySet<string> = new Set(OF_BOTH);

/** The names of globals that are replaced for code of an object or a Worker; see `object-globals.ts`. */
export const OBJECT_GLOBALS: ReadonlySet<string> = new Set([
  ...OF_BOTH,
  'WebSocketPair',
  'WebSocketRequestResponsePair',
  'Request',
  'Response',
]);
