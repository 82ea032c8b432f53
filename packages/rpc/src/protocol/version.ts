/** The version of the protocol that this library speaks. */
export const PROTOCOL_VERSION = 2;

const PREFIX = 'lumenize.rpc.';

/** The WebSocket subprotocol that stands for the version, so that connecting negotiates it without a frame. */
export const SUBPROTOCOL = `${PREFIX}${PROTOCOL_VERSION}`;

/**
 * Begins the subprotocol that gives a client's name, 32 hexadecimal digits that are the same for all of its connections, and
 * behind a dot the how-manieth connection it is that the client tries to make.
 */
export const CLIENT_PREFIX = 'lumenize.client.';
/** Begins the subprotocol that gives a client's token, as base64url of its UTF-8. */
export const TOKEN_PREFIX = 'lumenize.token.';

/**
 * Begins the subprotocol that carries a client's first frame of calls, as base64url: where all of them only read, the server
 * may run them at once, and saves the client a round trip.
 */
export const EARLY_PREFIX = 'lumenize.early.';
/** What is taken up in the place of `SUBPROTOCOL` by a server that has run them. */
export const EARLY_SUBPROTOCOL = `${SUBPROTOCOL}.early`;
/** Is taken up in the place of any other by a server that refuses, and closes with the reason: so nothing is sent to it. */
export const REFUSED_SUBPROTOCOL = `${PREFIX}refused`;
/** A longer frame, in bytes, is not sent early: servers and proxies have bounds on what a header may be. */
export const MAX_EARLY_BYTES = 1024;

/** What a client's list of subprotocols says: the protocol is spoken, in versions of which we share one or none. */
export type Offer =
  | { spoken: false }
  | {
      spoken: true;
      shared: boolean;
      /** What to take up where it is refused. */
      refusal: string;
      client: OfferedClient | undefined;
      /** The client's first frame of calls, as base64url. */
      early: string | undefined;
    };

/** A client that connects. */
export interface OfferedClient {
  readonly name: string;
  /** Its attempts to connect, this one included. */
  readonly attempt: number;
}

/** A client that has connected. */
export interface ConnectedClient extends OfferedClient {
  /** When this connection was accepted, in milliseconds since 1970: everything that came over it was sent later. */
  readonly since: number;
}

const CLIENT = /^lumenize\.client\.([0-9a-f]{32})\.(\d{1,15})$/;

/** Reads the `Sec-WebSocket-Protocol` header of an upgrade. */
export function readOffer(header: string | null): Offer {
  const offered = (header ?? '').split(',').map((name) => name.trim());
  const ours = offered.filter((name) => name.startsWith(PREFIX));
  if (ours.length === 0) return { spoken: false };
  const shared = ours.includes(SUBPROTOCOL);
  // A browser drops a socket whose subprotocol was not taken up: to tell it why it is refused, one it offered must be.
  const refusal = ours.includes(REFUSED_SUBPROTOCOL) ? REFUSED_SUBPROTOCOL : ours[0];
  const [, name, attempt] = offered.map((each) => CLIENT.exec(each)).find((match) => match !== null) ?? [];
  const client = name === undefined ? undefined : { name, attempt: Number(attempt) };
  const early = shared ? offered.find((each) => each.startsWith(EARLY_PREFIX))?.slice(EARLY_PREFIX.length) : undefined;
  return { spoken: true, shared, refusal, client, early };
}
