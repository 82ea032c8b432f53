import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_INTERNAL, CLOSE_NORMAL, CLOSE_REFUSED, closeReason } from '../protocol/errors.ts';
import type { Message } from '../protocol/message.ts';
import { PROTOCOL_VERSION } from '../protocol/version.ts';
import { isListenable, type Listenable, listen, type OpenTransport, type Peer, type Transport } from './transport.ts';

/** Common to a MessagePort, a Worker, a Worker's own global scope and a window. */
export interface PortLike {
  // biome-ignore lint/suspicious/noExplicitAny: the second parameter is not the same everywhere
  postMessage(message: any, transfer: any): void;
}

/** Options for posting messages, and for reading them. */
export interface PortOptions {
  /**
   * The origin of the page in a window, such as `'https://example.com'`: messages go to it and are taken from it alone.
   * Needed for windows, and for nothing else; `'*'` is any origin, such as that of a sandboxed frame.
   */
  targetOrigin?: string;
}

/** Begins every message of ours, so that ports can be shared with other messages. */
const MARK = 'lumenize.rpc';

/** The side that a message is for: both sides of a port may serve and call at once, and call several times. */
type Side = 'server' | 'client';

type Content =
  | Message
  | ['open', version: number]
  /** Answers `open`. */
  | ['opened']
  /** Tells all clients that a server has begun to listen: messages that were posted before may be lost. */
  | ['serving']
  | ['close', code: number, reason: string];

/** A port of whatever kind. A message has the mark, the side that it is for, the connection that it is of, and what it says. */
type Port = ReturnType<typeof portOf>;

/**
 * Gives all kinds of ports one form.
 * @throws {TypeError} where a window is given without `targetOrigin`, or something that is no port
 */
export function portOf(port: PortLike, { targetOrigin }: PortOptions) {
  // These two can be asked of a window of another origin too.
  const isWindow = (port as { window?: unknown } | null)?.window === port;
  if (isWindow && targetOrigin === undefined) {
    throw new TypeError("for a window, targetOrigin says which page may be there, such as 'https://example.com'");
  }
  if (!isWindow && (typeof port?.postMessage !== 'function' || !isListenable(port))) {
    throw new TypeError('a port is a MessagePort, a Worker, the self of a Worker, or a window');
  }
  // What a window posts arrives at our own.
  const source = (isWindow ? globalThis : port) as Listenable & { start?(): void };
  // Not everywhere: a browser does not tell that a Worker was terminated. Node's Workers exit.
  const ends = isWindow ? [] : ['close', 'exit'];
  return {
    /** Posts a message. Bytes are transferred, so that none is copied. */
    post(to: Side, connection: string, content: Content): void {
      const transfer = content instanceof Uint8Array ? [content.buffer] : [];
      const origin = isWindow ? [targetOrigin] : [];
      Reflect.apply(port.postMessage, port, [[MARK, to, connection, content], ...origin, transfer]);
    },
    /** Listens to what is for this side, and to nothing else that is said on the port, until the function that is returned is called. */
    listen(side: Side, handle: (connection: string, content: Content) => void, onEnd: () => void): () => void {
      const received = (event: unknown) => {
        const isWeb = 'addEventListener' in source;
        const { data, origin, source: from } = (isWeb ? event : { data: event }) as Partial<MessageEvent>;
        if (isWindow && (from !== port || (targetOrigin !== '*' && origin !== targetOrigin))) return;
        if (!Array.isArray(data) || data[0] !== MARK || data[1] !== side || typeof data[2] !== 'string') return;
        if (Array.isArray(data[3]) || isFrame(data[3])) handle(data[2], data[3] as Content);
      };
      const stops = [listen(source, 'message', received), ...ends.map((type) => listen(source, type, onEnd))];
      source.start?.();
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

function isFrame(content: unknown): content is Message {
  return typeof content === 'string' || content instanceof Uint8Array;
}

/**
 * Connects through a port. That somebody serves at its other end is only known when they answer: if that takes longer
 * than `openTimeoutMs`, the connection counts as lost.
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
    const lost = (code: number, reason: string) => {
      stop();
      events.lost(code, reason);
    };
    const timer = setTimeout(() => {
      // For one that begins to serve later, and still finds that we wanted to connect.
      say(['close', CLOSE_NORMAL, '']);
      lost(CLOSE_REFUSED, `NOT_EXECUTED: nobody has called servePort() at the other end for ${openTimeoutMs} ms`);
    }, openTimeoutMs);
    const received = (connection: string, content: Content) => {
      if (connection !== id && connection !== '') return;
      if (isFrame(content)) return events.received(content);
      if (content[0] === 'close') return lost(content[1], content[2]);
      if (content[0] === 'opened') {
        clearTimeout(timer);
        if (!isOpen) events.opened();
        isOpen = true;
      } else if (content[0] === 'serving') {
        // One that begins after ours did is another one: a page that was loaded anew.
        if (isOpen) lost(CLOSE_ABNORMAL, 'the other end began anew');
        else say(['open', PROTOCOL_VERSION]);
      }
    };
    const stopListening = port.listen('client', received, () => lost(CLOSE_ABNORMAL, 'the port was closed'));
    try {
      say(['open', PROTOCOL_VERSION]);
    } catch (error) {
      // A window refuses an origin that is none: nobody is to be told of that once more when the time is over.
      stop();
      throw error;
    }
    return {
      send: say,
      close: (code, reason) => {
        say(['close', code, reason]);
        queueMicrotask(() => lost(code, reason));
      },
    };
  };
}

/** Serves all clients that connect through a port, each with a peer of its own, until it is disposed. */
export function servePortTransport(port: Port, attach: (channel: Transport) => Peer): Disposable {
  const peers = new Map<string, Peer>();
  const end = (id: string) => {
    peers.get(id)?.lost();
    peers.delete(id);
  };
  const close = (id: string, code: number, reason: string) => {
    port.post('client', id, ['close', code, reason]);
    end(id);
  };
  const open = (id: string, version: unknown) => {
    if (version !== PROTOCOL_VERSION) {
      const message = `the other end speaks version ${PROTOCOL_VERSION} of the protocol only: load the same one on both`;
      return close(id, CLOSE_REFUSED, closeReason(new RpcError('VERSION_MISMATCH', message)));
    }
    if (!peers.has(id)) {
      const send = (frame: Message) => {
        if (peers.has(id)) port.post('client', id, frame);
      };
      peers.set(id, attach({ send, close: (code, reason) => close(id, code, reason) }));
    }
    port.post('client', id, ['opened']);
  };
  const received = (id: string, content: Content) => {
    if (!isFrame(content)) {
      if (content[0] === 'open') open(id, content[1]);
      else if (content[0] === 'close') end(id);
    } else if (peers.has(id)) peers.get(id)!.receive(content);
    else close(id, CLOSE_INTERNAL, 'the connection is not known here any more');
  };
  const endAll = () => {
    stop();
    for (const id of peers.keys()) end(id);
  };
  const stop = port.listen('server', received, endAll);
  port.post('client', '', ['serving']);
  return {
    [Symbol.dispose]() {
      for (const id of peers.keys()) close(id, CLOSE_NORMAL, '');
      stop();
    },
  };
}
