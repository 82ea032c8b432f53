import { CLOSE_ABNORMAL, CLOSE_INTERNAL, CLOSE_NORMAL, CLOSE_REFUSED } from '../closes.ts';
import type { Message } from '../types/message.ts';
import { isListenable, type Listenable, listen } from './listen.ts';
import type { OpenTransport, Served, Transport } from './transport.ts';

/** The member that a MessagePort, a Worker, a Worker's own global scope and a window have in common. */
export interface PortLike {
  // biome-ignore lint/suspicious/noExplicitAny: the second parameter differs between platforms
  postMessage(message: any, transfer: any): void;
}

/** Options for posting and receiving messages. */
export interface PortOptions {
  /**
   * The origin of the page in a window, such as `'https://example.com'`. Messages are sent only to this origin, and
   * accepted only from it. Required for windows, and used for nothing else. `'*'` means any origin, such as that of a
   * sandboxed frame.
   */
  targetOrigin?: string;
}

/** The version of the protocol, as a greeting has it. */
const VERSION = 3;

/** The first part of every message of this library, so that a port can carry other messages too. */
const MARK = 'lumenize.rpc';

/** The longest delay of a timer, about 24 days. A timer that is set for longer goes off at once. */
const LONGEST_MS = 2_147_483_647;

/** The side that a message is for. Both sides of a port may serve and connect at once, and connect several times. */
type Side = 'server' | 'client';

type Content =
  | Message
  | ['open', version: number]
  /** Answers `open`. */
  | ['opened']
  /** Tells all clients that a server has begun to listen: messages that were posted before may be lost. */
  | ['serving']
  | ['close', code: number, reason: string];

/**
 * A port of any kind. A message has the mark, the side that it is for, the id of its connection, and its content. It is a
 * list, or one text if the content is text: platforms clone that quickest.
 */
type Port = ReturnType<typeof portOf>;

/**
 * Returns a uniform interface to any kind of port.
 * @throws {TypeError} if a window is given without `targetOrigin`, or the value is not a port
 */
export function portOf(port: PortLike, { targetOrigin }: PortOptions) {
  // These two members can be read on a window of another origin too.
  const isWindow = (port as { window?: unknown } | null)?.window === port;
  if (isWindow && targetOrigin === undefined) {
    throw new TypeError("for a window, targetOrigin says which page may be there, such as 'https://example.com'");
  }
  if (!isWindow && (typeof port?.postMessage !== 'function' || !isListenable(port))) {
    throw new TypeError('a port is a MessagePort, a Worker, the self of a Worker, or a window');
  }
  // Messages that another window posts arrive at this side's own window.
  const source = (isWindow ? globalThis : port) as Listenable & { start?(): void };
  // Not every port reports its end: a browser does not tell that a Worker was terminated. Node's Workers emit `exit`.
  const ends = isWindow ? [] : ['close', 'exit'];
  const target = port as { postMessage(...parts: unknown[]): void };
  const post = (message: unknown, transfer: unknown[] = []) =>
    isWindow ? target.postMessage(message, targetOrigin, transfer) : target.postMessage(message, transfer);
  const isWeb = 'addEventListener' in source;
  return {
    /** Posts a message. Bytes are transferred, not copied. */
    post(to: Side, connection: string, content: Content): void {
      if (typeof content === 'string') post(`${MARK} ${to} ${connection} ${content}`);
      else post([MARK, to, connection, content], content instanceof Uint8Array ? [content.buffer] : []);
    },
    /**
     * Listens to the messages for this side, and ignores all other messages on the port. Returns a function that stops
     * listening.
     */
    listen(side: Side, handle: (connection: string, content: Content) => void, onEnd: () => void): () => void {
      const start = `${MARK} ${side} `;
      const read = (data: unknown) => {
        if (typeof data === 'string') {
          const end = data.startsWith(start) ? data.indexOf(' ', start.length) : -1;
          if (end >= 0) handle(data.slice(start.length, end), data.slice(end + 1));
        } else if (Array.isArray(data) && data[0] === MARK && data[1] === side && typeof data[2] === 'string') {
          if (Array.isArray(data[3]) || isMessage(data[3])) handle(data[2], data[3] as Content);
        }
      };
      const received = (event: unknown) => {
        const { data, origin, source: from } = event as MessageEvent;
        if (!isWindow || (from === port && (targetOrigin === '*' || origin === targetOrigin))) read(data);
      };
      const stops = [
        listen(source, 'message', isWeb ? received : read),
        ...ends.map((type) => listen(source, type, onEnd)),
      ];
      source.start?.();
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

function isMessage(content: unknown): content is Message {
  return typeof content === 'string' || content instanceof Uint8Array;
}

/**
 * Connects through a port. Only an answer shows that the other end serves. If it takes longer than `openTimeoutMs`, the
 * connection counts as lost.
 */
export function portTransport(port: Port, openTimeoutMs = 30_000): OpenTransport {
  return (events) => {
    const id = Math.random().toString(36).slice(2);
    const say = (content: Content) => port.post('server', id, content);
    let isOpen = false;
    const stop = () => {
      clearTimeout(timer);
      stopListening();
    };
    const end = (code: number, reason: string) => {
      stop();
      events.closed(code, reason);
    };
    const giveUp = () => {
      // For a server that starts later, and still finds the request to connect.
      say(['close', CLOSE_NORMAL, '']);
      end(CLOSE_REFUSED, `NOT_EXECUTED: nobody has called servePort() at the other end for ${openTimeoutMs} ms`);
    };
    const timer = setTimeout(giveUp, Math.min(openTimeoutMs, LONGEST_MS));
    const received = (connection: string, content: Content) => {
      if (connection !== id && connection !== '') return;
      if (isMessage(content)) return events.received(content);
      if (content[0] === 'close') return end(content[1], content[2]);
      if (content[0] === 'opened') {
        clearTimeout(timer);
        if (!isOpen) events.opened();
        isOpen = true;
      } else if (content[0] === 'serving') {
        // A server that starts after this connection has opened is a new one: its page was loaded again.
        if (isOpen) end(CLOSE_ABNORMAL, 'the other end began anew');
        else say(['open', VERSION]);
      }
    };
    const stopListening = port.listen('client', received, () => end(CLOSE_ABNORMAL, 'the port was closed'));
    try {
      say(['open', VERSION]);
    } catch (error) {
      // A window throws for an invalid origin.
      queueMicrotask(() => end(CLOSE_REFUSED, `NOT_EXECUTED: the port cannot be posted to: ${error}`));
    }
    return {
      send: say,
      close: (code, reason) => {
        say(['close', code, reason]);
        queueMicrotask(() => end(code, reason));
      },
    };
  };
}

/**
 * Serves all clients that connect through a port, each with a session of its own, until the returned object is disposed.
 */
export function servePortTransport(port: Port, attach: (transport: Transport) => Served): Disposable {
  const clients = new Map<string, Served>();
  const end = (id: string) => {
    clients.get(id)?.closed();
    clients.delete(id);
  };
  const close = (id: string, code: number, reason: string) => {
    port.post('client', id, ['close', code, reason]);
    end(id);
  };
  const open = (id: string, version: unknown) => {
    if (version !== VERSION) {
      const reason = `VERSION_MISMATCH: the other end speaks version ${VERSION} of the protocol only: load the same one on both`;
      return close(id, CLOSE_REFUSED, reason);
    }
    if (!clients.has(id)) {
      const send = (message: Message) => {
        if (clients.has(id)) port.post('client', id, message);
      };
      clients.set(id, attach({ send, close: (code, reason) => close(id, code, reason) }));
    }
    port.post('client', id, ['opened']);
  };
  const received = (id: string, content: Content) => {
    if (!isMessage(content)) {
      if (content[0] === 'open') open(id, content[1]);
      else if (content[0] === 'close') end(id);
    } else if (clients.has(id)) clients.get(id)!.receive(content);
    else close(id, CLOSE_INTERNAL, 'the connection is not known here any more');
  };
  const endAll = () => {
    stop();
    for (const id of clients.keys()) end(id);
  };
  const stop = port.listen('server', received, endAll);
  port.post('client', '', ['serving']);
  return {
    [Symbol.dispose]() {
      for (const id of clients.keys()) close(id, CLOSE_NORMAL, '');
      stop();
    },
  };
}
