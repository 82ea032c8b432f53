import { newWebSocketRpcSession, type RpcTarget } from 'capnweb';
import type { GatewayConnection, Session, SessionRequest } from '../gateway/gateway.ts';

/** What is there for whom a token is of. */
export interface UserMethods extends RpcTarget {
  ping(): string;
  whoAmI(): string;
  createSession(request: SessionRequest): Session;
  countSessions(): number;
  listen(created: (session: Session) => void): void;
}

interface PublicMethods extends RpcTarget {
  authenticate(token: string): UserMethods;
}

/**
 * The gateway over Cap'n Web, as its documentation authenticates: `authenticate(token)` returns what the user may do, whose
 * methods are called at once, without waiting for it. Listeners pass a callback.
 */
export function capnwebGateway(baseUrl: string, instance: string, token: string): GatewayConnection {
  const stub = newWebSocketRpcSession<PublicMethods>(`${baseUrl.replace('http', 'ws')}/capnweb/gateway/${instance}`);
  const user = stub.authenticate(token);
  return {
    ping: () => user.ping(),
    whoAmI: () => user.whoAmI(),
    createSession: (request) => user.createSession(request) as PromiseLike<Session>,
    countSessions: () => user.countSessions(),
    async listen({ created, fail }) {
      stub.onRpcBroken(fail);
      await user.listen(created);
    },
    close() {
      user[Symbol.dispose]();
      stub[Symbol.dispose]();
    },
  };
}
