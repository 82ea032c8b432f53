import { CLIENT_PREFIX, IDENTITY_PREFIX, REFUSED_SUBPROTOCOL, SUBPROTOCOL } from '../protocol.ts';

/** The offer of a client, in the subprotocols of its upgrade. */
export interface Offer {
  /** True if the client speaks this version of the protocol. */
  readonly isSpoken: boolean;
  /** The subprotocol to accept when the client is refused. */
  readonly refusal: string;
  readonly client: OfferedClient | undefined;
  /** The tag of the identity whose session the client wants to go on with. */
  readonly tag: string | undefined;
}

/** A client that connects. */
export interface OfferedClient {
  readonly name: string;
  /** Number of its attempts to connect, including this one. */
  readonly attempt: number;
  /** The id below which all its calls have settled. */
  readonly settled: number;
}

/** Returns true if a request can be answered with a WebSocket. */
export function isUpgrade({ method, headers }: Request): boolean {
  return method === 'GET' && headers.get('Upgrade')?.toLowerCase() === 'websocket';
}

const CLIENT = /^([0-9a-f]{32})\.(\d{1,15})\.(\d{1,15})$/;

/** Reads the offer of an upgrade. Returns undefined if the client does not speak the protocol in any version. */
export function readOffer(request: Request): Offer | undefined {
  if (!isUpgrade(request)) return undefined;
  const { headers } = request;
  const offered = (headers.get('Sec-WebSocket-Protocol') ?? '').split(',').map((name) => name.trim());
  const ours = offered.filter((name) => name.startsWith('lumenize.rpc.'));
  if (ours.length === 0) return undefined;
  const behind = (prefix: string) => offered.find((name) => name.startsWith(prefix))?.slice(prefix.length);
  const [, name, attempt, settled] = CLIENT.exec(behind(CLIENT_PREFIX) ?? '') ?? [];
  return {
    isSpoken: ours.includes(SUBPROTOCOL),
    // A browser drops a socket if none of its subprotocols is accepted, so it has to be one that was offered.
    refusal: ours.includes(REFUSED_SUBPROTOCOL) ? REFUSED_SUBPROTOCOL : ours[0],
    client: name === undefined ? undefined : { name, attempt: Number(attempt), settled: Number(settled) },
    tag: behind(IDENTITY_PREFIX),
  };
}
