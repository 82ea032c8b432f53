import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_INTERNAL, CLOSE_NORMAL, CLOSE_REFUSED, closeReason } from '../protocol/close-codes.ts';
import type { Message } from '../protocol/message.ts';
import { PROTOCOL_VERSION } from '../protocol/version.ts';
import type { Port } from './port.ts';
import type { OpenTransport, Peer, Transport } from './transport.ts';

/** Begins every message of ours, so that ports can be shared with other messages. */
const MARK = 'lumenize.rpc';

/**
 * A message: for the side that serves or the one that calls, of which connection, and what. Bytes are transferred, so
 * that none is copied. Both sides of a port may serve and call at once, and call several times.
 */
type PortMessage = [mark: typeof MARK, to: 'server' | 'client', connection: string, content: Content];

type Content =
  | Message
  | ['open', version: number]
  /** Answers `open`. */
  | ['opened']
  /** Tells all clients that a server has begun to listen: messages that were posted before may be lost. */
  | ['serving']
  | ['close', code: number, reason: string];

/**
 * Connects through a port. Whether somebody serves at its other end is only known when they answer: if that takes longer
 * than `openTimeoutMs`, the connection counts as lost.
 */
export function portTransport(port: Port, openTimeoutMs: number): OpenTransport {
  return (events) => {
    const id = Math.random().toString(36).slice(2);
    const open = () => post(port, 'server', id, ['open', PROTOCOL_VERSION]);
    let isOpen = false;
    const lost = (code: number, reason: string) => {
      clearTimeout(timer);
      stop();
      events.lost(code, reason);
    };
    const timer = setTimeout(() => {
      // For one that begins to serve later, and still finds that we wanted to connect.
      post(port, 'server', id, ['close', CLOSE_NORMAL, '']);
      lost(CLOSE_REFUSED, `NOT_EXECUTED: nobody has called servePort() at the other end for ${openTimeoutMs} ms`);
    }, openTimeoutMs);
    const stop = listenFor(
      port,
      'client',
      (connection, content) => {
        if (connection !== id && connection !== '') return;
        if (isFrame(content)) return events.received(content);
        switch (content[0]) {
          case 'opened':
            clearTimeout(timer);
            if (!isOpen) events.opened();
            isOpen = true;
            return;
          case 'serving':
            // One that begins after ours did is another one: a page that was loaded anew.
            return isOpen ? lost(CLOSE_ABNORMAL, 'the other end began anew') : open();
          case 'close':
            return lost(content[1], content[2]);
        }
      },
      () => lost(CLOSE_ABNORMAL, 'the port was closed'),
    );
    try {
      open();
    } catch (error) {
      // A window refuses an origin that is none: nobody is to be told of that once more when the time is over.
      clearTimeout(timer);
      stop();
      throw error;
    }
    return {
      send: (frame) => post(port, 'server', id, frame),
      close: (code, reason) => {
        post(port, 'server', id, ['close', code, reason]);
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
    post(port, 'client', id, ['close', code, reason]);
    end(id);
  };
  const endAll = () => {
    stop();
    for (const id of peers.keys()) end(id);
  };
  const begin = (id: string, version: number) => {
    if (version !== PROTOCOL_VERSION) {
      const message = `the other end speaks version ${PROTOCOL_VERSION} of the protocol only: load the same one on both`;
      return close(id, CLOSE_REFUSED, closeReason(new RpcError('VERSION_MISMATCH', message)));
    }
    if (!peers.has(id)) {
      const channel: Transport = {
        send: (frame) => {
          if (peers.has(id)) post(port, 'client', id, frame);
        },
        close: (code, reason) => close(id, code, reason),
      };
      peers.set(id, attach(channel));
    }
    post(port, 'client', id, ['opened']);
  };
  const stop = listenFor(
    port,
    'server',
    (id, content) => {
      const peer = peers.get(id);
      if (isFrame(content)) {
        if (peer === undefined) close(id, CLOSE_INTERNAL, 'the connection is not known here any more');
        else peer.receive(content);
      } else if (content[0] === 'open') begin(id, content[1]);
      else if (content[0] === 'close') end(id);
    },
    endAll,
  );
  post(port, 'client', '', ['serving']);
  return {
    [Symbol.dispose]() {
      for (const id of peers.keys()) close(id, CLOSE_NORMAL, '');
      endAll();
    },
  };
}

function post(port: Port, to: PortMessage[1], connection: string, content: Content): void {
  const message: PortMessage = [MARK, to, connection, content];
  port.post(message, content instanceof Uint8Array ? [content.buffer] : []);
}

function isFrame(content: Content): content is Message {
  return typeof content === 'string' || content instanceof Uint8Array;
}

/** Listens to what is for this side, and ignores everything else that is said on the port. */
function listenFor(
  port: Port,
  side: PortMessage[1],
  handle: (connection: string, content: Content) => void,
  onEnd: () => void,
): () => void {
  return port.listen((message) => {
    if (!Array.isArray(message) || message[0] !== MARK || message[1] !== side) return;
    const [, , connection, content] = message as PortMessage;
    if (typeof connection === 'string' && (Array.isArray(content) || isFrame(content))) {
      handle(connection, content);
    }
  }, onEnd);
}
