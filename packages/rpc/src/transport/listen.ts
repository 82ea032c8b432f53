/** An object with events, either as on the web or as in Node. */
export type Listenable =
  // biome-ignore-start lint/suspicious/noExplicitAny: the listener's arguments differ between platforms
  | {
      addEventListener(type: string, listener: (event: any) => void): void;
      removeEventListener(type: string, listener: (event: any) => void): void;
    }
  | {
      on(event: string, listener: (...parts: any[]) => void): unknown;
      off(event: string, listener: (...parts: any[]) => void): unknown;
    };
// biome-ignore-end lint/suspicious/noExplicitAny: as above

/** Returns true if an object has events in one of the two forms. */
export function isListenable(source: object): source is Listenable {
  return 'addEventListener' in source || 'on' in source;
}

/**
 * Adds a listener, and returns a function that removes it. If an object has both forms of events, the web's form is
 * used: there, messages are events whose `data` tells text from bytes.
 */
export function listen(source: Listenable, type: string, listener: (...parts: unknown[]) => void): () => void {
  if ('addEventListener' in source) {
    source.addEventListener(type, listener);
    return () => source.removeEventListener(type, listener);
  }
  source.on(type, listener);
  return () => source.off(type, listener);
}
