// For applications.
// For transports of one's own.
export { type ConnectOptions, connect, connectOver } from './client/connect.ts';
export { type Connection, connection } from './client/connection.ts';
export type { ConnectionState } from './client/session.ts';
export type { ConnectionStatistics } from './client/statistics.ts';
export type { RemoteMembers, RemotePromise, Stub } from './client/types.ts';
export { RPC_ERROR_CODES, RpcError, type RpcErrorCode } from './errors/rpc-error.ts';
export type { OpenTransport, Transport, TransportEvents } from './transport/transport.ts';
