/** The names of subjects, baselines and codecs for readers. What is not here is called the same everywhere. */
const NAMES: Readonly<Record<string, string>> = {
  lumenize: 'Lumenize RPC',
  'lumenize-accept': 'Lumenize RPC (no hibernation)',
  'lumenize-batches': 'Lumenize RPC (events stored in batches)',
  'lumenize-http': 'Lumenize RPC (HTTP batches)',
  'lumenize-port': 'Lumenize RPC (MessagePort)',
  'lumenize-native': 'Lumenize RPC (Worker to object)',
  'lumenize-text': 'Lumenize (text form)',
  capnweb: "Cap'n Web",
  'capnweb-plain': "Cap'n Web (uncompressed)",
  'capnweb-http': "Cap'n Web (HTTP batches)",
  'capnweb-port': "Cap'n Web (MessagePort)",
  raw: 'hand-written JSON',
  'raw-accept': 'hand-written JSON (no hibernation)',
  'raw-plain': 'hand-written JSON (uncompressed)',
  floor: 'hand-written JSON (in a package)',
  'raw-one-frame': 'hand-written JSON (one frame per turn)',
  'raw-port': 'hand-written postMessage',
  native: 'Workers RPC',
  base: 'no feature',
};

/** Returns the name of a subject, baseline or codec for readers. */
export function nameOf(subject: string): string {
  return NAMES[subject] ?? subject;
}

/** Returns what sets a subject apart from the main one of its library: ` (no hibernation)`. */
export function variantOf(subject: string): string {
  return nameOf(subject).replace(/^[^(]*?(?= \(|$)/, '');
}

/** Replaces the subjects in a text about a bar: recorded runs name them as the benchmark does. */
export function withNames(text: string): string {
  return text.replace(/(by|against) ([\w-]+)/g, (_, word, subject) => `${word} ${nameOf(subject)}`);
}

/**
 * The names of scenarios, of hosts beside them, and of their parts, for readers. What is not here is called by its
 * words.
 */
const SCENARIOS: Readonly<Record<string, string>> = {
  'increment/sequential': 'a write, one at a time',
  'getValue/sequential': 'a read, one at a time',
  'mixed/sequential': 'a write, then a read',
  'increment/in-flight': 'a write, 20 at a time',
  'getValue/in-flight': 'a read, 20 at a time',
  'increment/sequential-1000': '1000 writes, one at a time',
  'getValue/sequential-1000': '1000 reads, one at a time',
  'increment/one-turn-1000': '1000 writes in one turn',
  'increment/one-turn-100': '100 writes in one turn',
  'connect/first-result': 'connecting, up to the first result',

  'cold/client': 'fresh client',
  'cold/server': 'fresh server',
  'cold/both': 'fresh client and server',
  'cold/woken': 'woken object',
  'cold/client/import': 'importing the client',
  'cold/server/import': 'importing the server',
  'rows-1-to-5': '200 rows, calls 1 to 5',
  'rows-6-to-25': '200 rows, calls 6 to 25',
  'rows-26-to-225': '200 rows, calls 26 to 225',
  'bytes-64KiB': '64 KiB',

  'pipeline/argument': 'a result as an argument',
  'pipeline/batch-100': '100 calls in one turn',
  'pipeline/map-100': 'a call for each of 100 items',
  'pipeline/callback': 'a call that calls back',

  'echo/rows-200': '200 rows, there and back',
  'echo/bytes-64KiB': '64 KiB, there and back',
  'echo/bytes-1MiB': '1 MiB, there and back',
  'echo/bytes-16MiB': '16 MiB, there and back',
  'stream/down-64KiB': 'a stream of 16 × 64 KiB, down',
  'stream/up-64KiB': 'a stream of 16 × 64 KiB, up',

  'latency/ping': 'ping',
  'latency/connect-authenticate-first-result': 'connecting with a token',
  'latency/create-session': 'creating a session',
  'latency/session-broadcast': 'five others hear of a session',

  'events/to-1': 'an event to one subscriber',
  'events/to-1-burst': '20 events to one subscriber',
  'events/to-100': 'an event to 100 subscribers',
  'events/to-100-burst': '20 events to 100 subscribers',
  'events/to-1000': 'an event to 1000 subscribers',
  'events/to-1000-burst': '20 events to 1000 subscribers',

  'remote/20-in-flight': 'a read, 20 at a time',
  cable: 'cable (20 ms)',
  lte: 'LTE (60 ms)',

  'throughput/20x1': '20 connections, 1 call each',
  'throughput/20x2': '20 connections, 2 calls each',
  'throughput/20x4': '20 connections, 4 calls each',
  'throughput/20x8': '20 connections, 8 calls each',
  'throughput/20x16': '20 connections, 16 calls each',
  'throughput/p99-below-10ms': 'most calls with p99 below 10 ms',
  'capacity/noop-1-object': 'empty calls of one object',
  'capacity/noop-16-objects': 'empty calls of 16 objects',
  'capacity/insert-1-object': 'rows written by one object',
  'capacity/insert-16-objects': 'rows written by 16 objects',

  'start/first-call': 'starting, up to the first call',
  'wake/first-result': 'waking a hibernating object',
  'reconnect/new-session': 'a new connection after a loss',
  'reconnect/resumed': 'connecting again by itself',
  'update/increments': 'writes while the code is replaced',

  // The parts of other scenarios.
  ...{ call: '', connection: '', 'feature-cost': '', pipeline: '', profile: '', remote: '' },
  ...{ getValue: 'a read', increment: 'a write', connect: 'connecting', wake: 'waking', event: 'an event' },
  'one-at-a-time': 'a write, one at a time',
  'one-turn-100': '100 writes in one turn',
  'chain-3': 'a chain of three calls',
  'echo-rows-200': '200 rows, there and back',
  process: 'the server',
  ...{ framesUp: 'frames up', framesDown: 'frames down', bytesUp: 'bytes up', bytesDown: 'bytes down' },

  'rows-200': '200 rows',
  'rows-distinct': '200 rows without repeated text',
  tree: 'a configuration',
  numbers: '1000 numbers',
  'map-set-date': 'Map, Set and Date',
  cyclic: 'objects in a cycle',
};

/** Returns the name of a scenario for readers, part by part where the whole has none: `cold/client/import`. */
export function scenarioName(key: string): string {
  if (key in SCENARIOS) return SCENARIOS[key];
  const parts = /^(.+)(?:\/|, | (?=by ))(.+)$/.exec(key);
  if (parts) return parts.slice(1).map(scenarioName).filter(Boolean).join(', ');
  return key.includes(' ') ? key : key.replace(/-(\d+)(\w*B)$/, ', $1 $2').replaceAll('-', ' ');
}
