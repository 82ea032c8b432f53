/** An object with events, as the web's objects have them, or as Node's. */
export type Listenable =
  // biome-ignore-start lint/suspicious/noExplicitAny: what a listener is given differs between platforms
  | {
      addEventListener(type: string, listener: (event: any) => void): void;
      removeEventListener(type: string, listener: (event: any) => void): void;
    }
  | {
      on(event: string, listener: (...parts: any[]) => void): unknown;
      off(event: string, listener: (...parts: any[]) => void): unknown;
    };
// biome-ignore-end lint/suspicious/noExplicitAny: as above

/** Returns true if an object has events in one of the two ways. */
export function isListenable(source: object): source is Listenable {
  return 'addEventListener' in source || 'on' in source;
}

/**
 * Listens, until the function that is returned is called. The web's way is preferred where there are both: there,
 * messages are events whose `data` tells text from bytes.
 */
export function listen(source: Listenable, type: string, listener: (...parts: unknown[]) => void): () => void {
  if ('addEventListener' in source) {
    source.addEventListener(type, listener);
    return () => source.removeEventListener(type, listener);
  }
  source.on(type, listener);
  return () => source.off(type, listener);
}
