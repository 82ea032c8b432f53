// These are texts of their own: what is made of others stays in bundles that do not use it.

/** The version of the protocol that this library speaks. */
export const PROTOCOL_VERSION = 2;

const PREFIX = 'lumenize.rpc.';

/** The WebSocket subprotocol that stands for the version, so that connecting negotiates it without a frame. */
export const SUBPROTOCOL = 'lumenize.rpc.2';

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
/** Subprotocol that a server accepts in place of `SUBPROTOCOL` when it has run them. */
export const EARLY_SUBPROTOCOL = 'lumenize.rpc.2.early';
/** Is taken up in the place of any other by a server that refuses, and closes with the reason: so nothing is sent to it. */
export const REFUSED_SUBPROTOCOL = 'lumenize.rpc.refused';
/** A longer frame, in bytes, is not sent early: servers and proxies have bounds on what a header may be. */
export const MAX_EARLY_BYTES = 1024;

/** Meaning of a client's list of subprotocols: it speaks the protocol, in versions of which we share one or none. */
export type Offer =
  | { spoken: false }
  | {
      spoken: true;
      shared: boolean;
      /** Subprotocol to accept when refusing it. */
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
  /**
   * Time at which this connection was accepted, in milliseconds since 1970: everything that came over it was sent
   * later.
   */
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

/** Makes the subprotocols that offer a client's first frame of calls. */
export function earlyOffer(frame: Uint8Array): readonly string[] {
  return [EARLY_SUBPROTOCOL, EARLY_PREFIX + toBase64Url(frame)];
}

/** Bytes in characters that a header and a URL may have. */
export function toBase64Url(bytes: Uint8Array): string {
  const text = String.fromCharCode(...bytes);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Reads base64url; undefined where it is none. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  let chars: string;
  try {
    chars = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return undefined;
  }
  return Uint8Array.from(chars, (char) => char.charCodeAt(0));
}

const HEX = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const NAME_BYTES = 16;
/** Names for which random bytes are drawn at once: to ask for them takes longer than to draw them. */
const NAMES_AT_ONCE = 32;

let random: Uint8Array | undefined;
let used = 0;

/** Makes a name that nobody else has and nobody can guess: 128 random bits in hexadecimal. */
export function randomName(): string {
  // Not before: a Worker may ask for random numbers only while it handles something.
  random ??= new Uint8Array(NAMES_AT_ONCE * NAME_BYTES);
  if (used % random.length === 0) crypto.getRandomValues(random);
  // By hand: `randomUUID` is missing in pages that did not come over https.
  let name = '';
  for (let i = 0; i < NAME_BYTES; i++) name += HEX[random[used++ % random.length]];
  return name;
}
