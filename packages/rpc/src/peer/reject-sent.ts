import { RpcError, type RpcErrorCode } from '../errors.ts';
import type { Peer } from './peer.ts';

/**
 * Rejects calls that were handed to a transport, with ids from `from` on and below `to`. For transports that know more
 * of single calls than that the connection was lost.
 */
export function rejectSent(peer: Peer, from: number, to: number, code: RpcErrorCode, message: string): void {
  for (const [id, { frame }] of peer.calls) {
    if (id >= from && id < to && frame!.sent > 0) peer.settleCall(id)!.reject(new RpcError(code, message));
  }
}
