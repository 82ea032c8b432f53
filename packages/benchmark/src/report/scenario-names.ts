/** What charts call scenarios. */
const NAMES: Readonly<Record<string, string>> = {
  'increment/sequential': 'increment, one at a time',
  'getValue/sequential': 'getValue, one at a time',
  'mixed/sequential': 'increment, then getValue',
  'increment/one-turn-100': '100 increments in one turn',
  'increment/in-flight': 'increment, 20 in flight',
  'getValue/in-flight': 'getValue, 20 in flight',
  'connect/first-result': 'connect to first result',
  'pipeline/chain-3': 'chain of three calls',
  'pipeline/argument': 'a result as an argument',
  'pipeline/batch-100': '100 calls on a result',
  'pipeline/map-100': 'map over 100 results',
  'pipeline/callback': 'a callback called back',
  'echo/rows-200': '200 rows there and back',
  'echo/bytes-64KiB': '64 KiB there and back',
  'echo/bytes-1MiB': '1 MiB there and back',
  'echo/bytes-16MiB': '16 MiB there and back',
  'call/getValue': 'getValue',
  'call/increment': 'increment',
  'call/echo-rows-20': '20 rows',
  'stream/down-64KiB': 'a stream of 64 KiB down',
  'stream/up-64KiB': 'a stream of 64 KiB up',
  'events/to-1': 'an event to 1 subscriber',
  'events/to-100': 'an event to 100',
  'events/to-1000': 'an event to 1000',
  'events/to-1-burst': '20 events to 1 subscriber',
  'events/to-100-burst': '20 events to 100',
  'events/to-1000-burst': '20 events to 1000',
  'latency/ping': 'ping, without state',
  'latency/connect-authenticate-first-result': 'connect with a token, result',
  'latency/create-session': 'create a session',
  'latency/session-broadcast': 'tell others of a session',
  'import/client': 'import the client',
  'import/server': 'import the server',
  'start/first-call': 'start workerd, first result',
  'wake/first-result': 'wake, first result',
  'reconnect/resumed': 'a cut connection, resumed',
  'reconnect/new-session': 'a new session, first result',
  'connection/awake': 'awake',
  'connection/awake, compressed': 'awake, compressed',
  'connection/hibernating, compressed': 'hibernating, compressed',
  'connection/hibernating': 'hibernating',
  'profile/getValue': 'getValue, one at a time',
  'profile/increment': 'increment, one at a time',
  'profile/one-turn-100': '100 increments in one turn',
  'profile/chain-3': 'chain of three calls',
  'profile/echo-rows-200': '200 rows there and back',
  'profile/connect': 'connect to first result',
  'remote/getValue': 'getValue',
  'remote/increment': 'increment',
  'remote/one-turn-100': '100 increments in one turn',
  'remote/connect': 'connect to first result',
  'remote/chain-3': 'chain of three calls',
  'remote/20-in-flight': 'getValue, 20 in flight',
};

const SHORT = /^(increment|getValue|mixed|connect)\/(?!.*-1000$)/;
/** What the main chart has beside the short profile; all else is left to charts of their own. */
const MAIN = /^(pipeline\/chain-3|echo\/(rows-200|bytes-64KiB|bytes-1MiB)|events\/to-1000(-burst)?)$/;

/** Returns what charts call a scenario: words where there are some, else its name. */
export function scenarioTitle(scenario: string): string {
  return NAMES[scenario] ?? scenario;
}

/** Says whether a scenario is drawn in the main chart. */
export function isMain(scenario: string): boolean {
  return isShort(scenario) || MAIN.test(scenario);
}

/** Says whether a scenario is of the short profile. */
export function isShort(scenario: string): boolean {
  return SHORT.test(scenario);
}
