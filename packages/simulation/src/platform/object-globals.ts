import { SimulatedFinalizationRegistry, SimulatedWeakRef } from '../scheduler/collection.ts';
import { simulatedConsole } from '../scheduler/console.ts';
import { clearTimeout, setImmediate, setInterval, setTimeout } from '../scheduler/timers.ts';
import { SimulatedRequest, SimulatedResponse } from './http.ts';
import { ObjectWebSocket, WebSocketPair, WebSocketRequestResponsePair } from './object-socket.ts';
import { withGlobals } from './with-globals.ts';

// The globals of code of an object or a Worker, which replace the machine's.
export { onReset } from '../loading/resets.ts';
export {
  clearTimeout,
  clearTimeout as clearInterval,
  clearTimeout as clearImmediate,
  ObjectWebSocket as WebSocket,
  SimulatedFinalizationRegistry as FinalizationRegistry,
  SimulatedRequest as Request,
  SimulatedResponse as Response,
  SimulatedWeakRef as WeakRef,
  setImmediate,
  setInterval,
  setTimeout,
  simulatedConsole as console,
  WebSocketPair,
  WebSocketRequestResponsePair,
};

/** Always rejects, because there is nothing outside of the world to fetch. */
export const fetch = () => Promise.reject(new TypeError('fetch() of the simulated platform leads nowhere'));

const simulated = withGlobals({
  clearTimeout,
  clearInterval: clearTimeout,
  clearImmediate: clearTimeout,
  WebSocket: ObjectWebSocket,
  FinalizationRegistry: SimulatedFinalizationRegistry,
  Request: SimulatedRequest,
  Response: SimulatedResponse,
  WeakRef: SimulatedWeakRef,
  setImmediate,
  setInterval,
  setTimeout,
  console: simulatedConsole,
  fetch,
  WebSocketPair,
  WebSocketRequestResponsePair,
});

export { simulated as globalThis };
