export { RpcTarget } from '#platform';
export { connect, connectOver } from './client/connect.ts';
export {
  type Connection,
  type ConnectionStatistics,
  connection,
  placeOf,
  type StubPlace,
  withOptions,
} from './client/connection.ts';
export type { ConnectionState, ConnectOptions } from './client/options.ts';
export { RPC_ERROR_CODES, RpcError, type RpcErrorCode } from './errors.ts';
export type { Message } from './peer/peer.ts';
export type { OpenTransport, Transport, TransportEvents } from './transport/transport.ts';
