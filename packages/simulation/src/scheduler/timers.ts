import { AsyncLocalStorage } from 'node:async_hooks';
import { type Realm, requireRealm } from './realm.ts';

/**
 * The critical section in which the running code began, if any. A critical section of an object lets in only its own
 * events.
 */
export const sections = new AsyncLocalStorage<object | undefined>();

/**
 * The timers of the running world that have not fired, with their realms. Any code that has an id may clear its timer.
 */
const owners = new Map<number, Realm>();
/** How often a timer checks whether its machine still sleeps, in milliseconds. */
const LOOK_MS = 500;

let lastId = 0;

/** Resets the timers, so that each world begins with the same ids. */
export function resetTimers(): void {
  owners.clear();
  lastId = 0;
}

/**
 * `setTimeout` in virtual time. The callback keeps the context in which it was set, and belongs to the realm of that
 * context.
 */
export function setTimeout(callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): number {
  return schedule('timer', callback, ms, args, false);
}

export function setInterval(callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): number {
  return schedule('interval', callback, Math.max(1, Number(ms) || 0), args, true);
}

export function setImmediate(callback: (...args: unknown[]) => void, ...args: unknown[]): number {
  return schedule('immediate', callback, 0, args, false);
}

export function clearTimeout(id: number | undefined): void {
  const realm = id === undefined ? undefined : owners.get(id);
  if (id === undefined || realm === undefined) return;
  owners.delete(id);
  const task = realm.timers.get(id);
  if (task === undefined) return;
  task.cancel();
  realm.timers.delete(id);
  realm.changed();
}

function schedule(
  what: string,
  callback: (...args: unknown[]) => void,
  ms: number | undefined,
  args: unknown[],
  isRepeated: boolean,
): number {
  const realm = requireRealm('setTimeout()');
  if (!realm.isAlive) return 0;
  const delay = Math.max(0, Number(ms) || 0);
  const section = sections.getStore();
  const inContext = AsyncLocalStorage.snapshot();
  const id = ++lastId;
  const fire = () => {
    const { sleepsMs, scheduler } = realm;
    if (sleepsMs > 0) {
      // The machine may be woken early.
      realm.timers.set(id, scheduler.after(Math.min(sleepsMs, LOOK_MS), realm.name, what, fire));
      return;
    }
    // It can still be cancelled while it waits to be let in.
    realm.admit(() => {
      if (!realm.timers.has(id)) return;
      if (isRepeated) realm.timers.set(id, realm.scheduler.after(delay, realm.name, what, fire));
      else {
        realm.timers.delete(id);
        owners.delete(id);
      }
      realm.note(what, delay);
      try {
        inContext(callback, ...args);
      } finally {
        realm.changed();
      }
    }, section);
  };
  owners.set(id, realm);
  realm.timers.set(id, realm.scheduler.after(delay, realm.name, what, fire));
  realm.changed();
  return id;
}
