import { ClientWebSocket, clientFetch } from '../network/client-socket.ts';
import { currentPage } from '../network/page.ts';
import { collect, SimulatedFinalizationRegistry, SimulatedWeakRef } from '../scheduler/collection.ts';
import { simulatedConsole } from '../scheduler/console.ts';
import { requireRealm } from '../scheduler/realm.ts';
import { clearTimeout, setTimeout as setAnyTimeout, setImmediate, setInterval } from '../scheduler/timers.ts';
import { withGlobals } from './with-globals.ts';

/** The longest time of a timer, in milliseconds. Browsers and Node treat longer ones as none. */
const LONGEST_TIMER_MS = 0x7fff_ffff;

function setTimeout(callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): number {
  return setAnyTimeout(callback, ms > LONGEST_TIMER_MS ? 1 : ms, ...args);
}

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
