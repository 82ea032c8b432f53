import { AsyncLocalStorage } from 'node:async_hooks';
import { type Realm, requireRealm } from './realm.ts';

/** The events of an object that a critical section of its own lets in: what began in it. */
export const sections = new AsyncLocalStorage<object | undefined>();

/** Timers of the running world that have not fired, with the realms that they are of: whoever has an id may clear it. */
const owners = new Map<number, Realm>();
/** Time between two looks of a timer whether its machine still sleeps. */
const LOOK_MS = 500;

let lastId = 0;

/** Ids are given anew in each world. */
export function resetTimers(): void {
  owners.clear();
  lastId = 0;
}

/** `setTimeout` of virtual time. The callback keeps the context that it was set in, and belongs to the realm of that. */
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
      // It may be woken before its time.
      realm.timers.set(id, scheduler.after(Math.min(sleepsMs, LOOK_MS), realm.name, what, fire));
      return;
    }
    // It stays cancellable while it waits to be let in.
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
