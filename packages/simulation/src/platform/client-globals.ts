import { ClientWebSocket, clientFetch } from '../network/client-socket.ts';
import { currentPage } from '../network/page.ts';
import { collect, SimulatedFinalizationRegistry, SimulatedWeakRef } from '../scheduler/collection.ts';
import { simulatedConsole } from '../scheduler/console.ts';
import { requireRealm } from '../scheduler/realm.ts';
import { clearTimeout, setImmediate, setInterval, setTimeout } from '../scheduler/timers.ts';
import { withGlobals } from './with-globals.ts';

// The globals of client code, which replace the machine's.
export { onReset } from '../loading/resets.ts';
export {
  ClientWebSocket as WebSocket,
  clearTimeout,
  clearTimeout as clearInterval,
  clearTimeout as clearImmediate,
  clientFetch as fetch,
  SimulatedFinalizationRegistry as FinalizationRegistry,
  SimulatedWeakRef as WeakRef,
  setImmediate,
  setInterval,
  setTimeout,
  simulatedConsole as console,
};

const simulated = withGlobals({
  WebSocket: ClientWebSocket,
  clearTimeout,
  clearInterval: clearTimeout,
  clearImmediate: clearTimeout,
  FinalizationRegistry: SimulatedFinalizationRegistry,
  WeakRef: SimulatedWeakRef,
  setImmediate,
  setInterval,
  setTimeout,
  console: simulatedConsole,
  fetch: clientFetch,
  // Tests call `gc` to collect garbage. It collects that of the world.
  gc: () => requireRealm('gc()').after(0, 'collect', collect),
  // A page and its document are the same here, because their events have different names.
  get document() {
    return currentPage();
  },
  addEventListener: (type: string, listener: () => void) => currentPage()?.addEventListener(type, listener),
  removeEventListener: (type: string, listener: () => void) => currentPage()?.removeEventListener(type, listener),
});

export { simulated as globalThis };
