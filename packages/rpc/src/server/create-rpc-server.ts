import { DurableRpcServer } from './durable-rpc-server.ts';
import type { CreateRpcServerOptions, RpcServer } from './rpc-server.ts';

/** Makes the server of one Durable Object. `RpcObject` is a base class over it; use it where a class extends something else. */
export function createRpcServer<Identity = unknown>(
  ctx: DurableObjectState,
  options: CreateRpcServerOptions<Identity>,
): RpcServer {
  return new DurableRpcServer(ctx, options as CreateRpcServerOptions<unknown>);
}
