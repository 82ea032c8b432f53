export { RpcTarget } from '#platform';
export { connect, connectOver } from './client/connect.ts';
export { connection, withOptions } from './client/connection.ts';
export { RPC_ERROR_CODES, RpcError } from './errors.ts';
