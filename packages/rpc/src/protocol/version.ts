// These constants are literals: a string that is built from others stays in bundles that do not use it.

/** The version of the protocol that this library speaks. */
export const PROTOCOL_VERSION = 2;

const PREFIX = 'lumenize.rpc.';

/** The WebSocket subprotocol of this version. Connecting negotiates the version with it, without a frame. */
export const SUBPROTOCOL = 'lumenize.rpc.2';

/**
 * Prefix of the subprotocol with a client's name, followed by a dot and the number of its attempts to connect. The name
 * is 32 hexadecimal digits, the same for all connections of the client.
 */
export const CLIENT_PREFIX = 'lumenize.client.';
/** Prefix of the subprotocol with a client's token, as base64url of its UTF-8. */
export const TOKEN_PREFIX = 'lumenize.token.';

/**
 * Prefix of the subprotocol with a client's first frame of calls, as base64url. If all these calls only read, the
 * server may run them at once, which saves the client a round trip.
 */
export const EARLY_PREFIX = 'lumenize.early.';
/** The subprotocol that a server accepts in place of `SUBPROTOCOL` when it has run the early calls. */
export const EARLY_SUBPROTOCOL = 'lumenize.rpc.2.early';
/**
 * The subprotocol that a server accepts in place of any other when it refuses the client. The client then sends
 * nothing, and the server closes the socket with the reason.
 */
export const REFUSED_SUBPROTOCOL = 'lumenize.rpc.refused';
/** Largest frame that is sent early, in bytes. Servers and proxies limit the size of a header. */
export const MAX_EARLY_BYTES = 1024;

/** The contents of the list of subprotocols of a client that speaks the protocol. */
export interface Offer {
  /** True if the client shares a version of the protocol with this side. */
  readonly shared: boolean;
  /** The subprotocol to accept when the client is refused. */
  readonly refusal: string;
  readonly client: OfferedClient | undefined;
  /** The client's first frame of calls, as base64url. */
  readonly early: string | undefined;
}

/** A client that connects. */
export interface OfferedClient {
  readonly name: string;
  /** Number of its attempts to connect, including this one. */
  readonly attempt: number;
}

/** A client that has connected. */
export interface ConnectedClient extends OfferedClient {
  /**
   * Time at which this connection was accepted, in milliseconds since 1970. Everything that came over it was sent
   * later.
   */
  readonly since: number;
}

const CLIENT = /^lumenize\.client\.([0-9a-f]{32})\.(\d{1,15})$/;

/**
 * Reads the `Sec-WebSocket-Protocol` header of an upgrade. Returns undefined if the client does not speak the protocol.
 */
export function readOffer(header: string | null): Offer | undefined {
  const offered = (header ?? '').split(',').map((name) => name.trim());
  const ours = offered.filter((name) => name.startsWith(PREFIX));
  if (ours.length === 0) return undefined;
  const shared = ours.includes(SUBPROTOCOL);
  // A browser drops a socket if none of its subprotocols is accepted. To tell the client why it is refused, the server
  // must accept one that it offered.
  const refusal = ours.includes(REFUSED_SUBPROTOCOL) ? REFUSED_SUBPROTOCOL : ours[0];
  const [, name, attempt] = offered.map((each) => CLIENT.exec(each)).find((match) => match !== null) ?? [];
  const client = name === undefined ? undefined : { name, attempt: Number(attempt) };
  const early = shared ? offered.find((each) => each.startsWith(EARLY_PREFIX))?.slice(EARLY_PREFIX.length) : undefined;
  return { shared, refusal, client, early };
}

/** Returns the subprotocols that offer a client's first frame of calls. */
export function earlyOffer(frame: Uint8Array): readonly string[] {
  return [EARLY_SUBPROTOCOL, EARLY_PREFIX + toBase64Url(frame)];
}

/** Returns the subprotocol with a client's token. */
export function tokenProtocol(token: string): string {
  return TOKEN_PREFIX + toBase64Url(new TextEncoder().encode(token));
}

/**
 * Returns the header `Authorization` with a client's token: as it is, or in the form of the subprotocol if a header would
 * change it.
 */
export function authorizationOf(token: string): string {
  const isPlain = /^[!-~]([ -~]*[!-~])?$/.test(token) && !token.startsWith(TOKEN_PREFIX);
  return `Bearer ${isPlain ? token : tokenProtocol(token)}`;
}

/** Returns bytes as base64url, whose characters are allowed in a header and in a URL. */
export function toBase64Url(bytes: Uint8Array): string {
  const text = String.fromCharCode(...bytes);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Reads base64url. Returns undefined if the text is not valid. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  let chars: string;
  try {
    chars = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(chars.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = chars.charCodeAt(at);
  return bytes;
}

/** Words of 32 bits in a name. */
const NAME_WORDS = 4;
/**
 * Number of names for which random bytes are drawn at once. A request for random bytes costs more than the bytes
 * themselves.
 */
const NAMES_AT_ONCE = 32;

let random: Uint32Array<ArrayBuffer> | undefined;
let used = 0;

/** Returns a unique name that cannot be guessed: 128 random bits in hexadecimal. */
export function randomName(): string {
  // Not made earlier: a Worker may ask for random numbers only while it handles an event.
  random ??= new Uint32Array(NAMES_AT_ONCE * NAME_WORDS);
  if (used % random.length === 0) crypto.getRandomValues(random);
  // Built by hand: `randomUUID` is missing in pages that were not loaded over https.
  let name = '';
  for (let i = 0; i < NAME_WORDS; i++) name += random[used++ % random.length].toString(16).padStart(8, '0');
  return name;
}
