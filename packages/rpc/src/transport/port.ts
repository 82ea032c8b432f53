import { type Listenable, listen } from './listen.ts';

/** Common to a MessagePort, a Worker, a Worker's own global scope and a window. */
export interface PortLike {
  // biome-ignore lint/suspicious/noExplicitAny: the second parameter is not the same everywhere
  postMessage(message: any, transfer: any): void;
}

/** How messages are posted, and which ones are read. */
export interface PortOptions {
  /**
   * The origin of the page in a window, such as `'https://example.com'`: messages go to it and are taken from it alone.
   * Needed for windows, and for nothing else; `'*'` is any origin, such as that of a sandboxed frame.
   */
  targetOrigin?: string;
}

/** A port of whatever kind. */
export interface Port {
  post(message: unknown, transfer: ArrayBuffer[]): void;
  /** Begins to listen, until the function that is returned is called. */
  listen(onMessage: (message: unknown) => void, onEnd: () => void): () => void;
}

/**
 * Gives all kinds of ports one form.
 * @throws {TypeError} where a window is given without `targetOrigin`, or something that is no port
 */
export function portOf(port: PortLike, { targetOrigin }: PortOptions): Port {
  // These two can be asked of a window of another origin too.
  if ((port as { window?: unknown } | null)?.window === port) return windowPort(port, targetOrigin);
  if (typeof port?.postMessage !== 'function' || !('addEventListener' in port || 'on' in port)) {
    throw new TypeError('a port is a MessagePort, a Worker, the self of a Worker, or a window');
  }
  return eventPort(port as PortLike & Listenable);
}

function eventPort(port: PortLike & Listenable & { start?(): void }): Port {
  return {
    post: (message, transfer) => port.postMessage(message, transfer),
    listen(onMessage, onEnd) {
      const isWeb = 'addEventListener' in port;
      const stops = [
        listen(port, 'message', (message) => onMessage(isWeb ? (message as { data: unknown }).data : message)),
        // Not everywhere: a browser does not tell that a Worker was terminated.
        listen(port, 'close', onEnd),
        // Of Node's Workers.
        listen(port, 'exit', onEnd),
      ];
      port.start?.();
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

function windowPort(window: PortLike, targetOrigin: string | undefined): Port {
  if (targetOrigin === undefined) {
    throw new TypeError("for a window, targetOrigin says which page may be there, such as 'https://example.com'");
  }
  return {
    post: (message, transfer) =>
      (window.postMessage as (message: unknown, origin: string, transfer: ArrayBuffer[]) => void)(
        message,
        targetOrigin,
        transfer,
      ),
    listen: (onMessage) =>
      listen(globalThis as unknown as Listenable, 'message', (event) => {
        const { source, origin, data } = event as { source: unknown; origin: string; data: unknown };
        if (source === window && (targetOrigin === '*' || origin === targetOrigin)) onMessage(data);
      }),
  };
}
