import { currentRealm } from './realm.ts';

/** The date at which worlds begin. It is independent of the machine's date. */
const BEGINNING = Date.UTC(2026, 0, 1);

/** Methods that read bodies. The machine runs them in its own events. */
const BODY_METHODS = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const;

type Reads = { [Method in (typeof BODY_METHODS)[number]]?: () => Promise<unknown> };

/** Makes worlds stand still until a body has been read. */
function waitFor(prototype: Reads, method: (typeof BODY_METHODS)[number]): void {
  const read = prototype[method];
  if (read === undefined) return;
  prototype[method] = function (this: unknown) {
    const reading: Promise<unknown> = read.call(this);
    return currentRealm()?.scheduler.standStill(reading) ?? reading;
  };
}

const date = Date.now;
const random = Math.random;
const performanceNow = performance.now.bind(performance);
const getRandomValues = crypto.getRandomValues.bind(crypto);
const randomUUID = crypto.randomUUID.bind(crypto);
const digest = crypto.subtle.digest.bind(crypto.subtle);

/**
 * Replaces the machine's date and random numbers with those of the world for code in a world. The objects themselves
 * stay, because code compares them. Outside of worlds nothing changes.
 */
export function installGlobals(): void {
  if (Date.now !== date) return;
  for (const { prototype } of [Blob, Request, Response]) {
    for (const method of BODY_METHODS) waitFor(prototype as unknown as Reads, method);
  }
  Date.now = () => {
    const realm = currentRealm();
    return realm === undefined ? date() : Math.floor(BEGINNING + realm.scheduler.now + realm.clock.aheadMs);
  };
  Math.random = () => {
    const realm = currentRealm();
    return realm === undefined ? random() : realm.scheduler.random.fraction(`random ${realm.name}`);
  };
  performance.now = () => currentRealm()?.awakeMs ?? performanceNow();
  crypto.getRandomValues = ((array: ArrayBufferView<ArrayBuffer>) => {
    const realm = currentRealm();
    if (realm === undefined) return getRandomValues(array as never);
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    realm.scheduler.random.fill(`bytes ${realm.name}`, bytes);
    return array;
  }) as Crypto['getRandomValues'];
  // The machine has threads for this.
  crypto.subtle.digest = (...given) => {
    const digesting = digest(...given);
    return currentRealm()?.scheduler.standStill(digesting) ?? digesting;
  };
  crypto.randomUUID = () => {
    const realm = currentRealm();
    if (realm === undefined) return randomUUID();
    const bytes = new Uint8Array(16);
    realm.scheduler.random.fill(`uuid ${realm.name}`, bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
}
