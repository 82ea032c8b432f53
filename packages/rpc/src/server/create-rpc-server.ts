import { DurableRpcServer } from './durable-rpc-server.ts';
import type { CreateRpcServerOptions, RpcServer } from './rpc-server.ts';
import { Topics } from './topics/topics.ts';

/** Makes the server of one Durable Object. `RpcObject` is a base class over it; use it where a class extends something else. */
export function createRpcServer<Identity = unknown>(
  ctx: DurableObjectState,
  options: CreateRpcServerOptions<Identity>,
): RpcServer {
  const server: DurableRpcServer = new DurableRpcServer(
    ctx,
    options as CreateRpcServerOptions<unknown>,
    new Topics(ctx.storage, () => server),
  );
  return server;
}
