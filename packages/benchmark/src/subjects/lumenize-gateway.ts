import { connect, type Subscription } from '@lumenize/rpc';
import type { GatewayConnection, Session, SessionListener, SessionRequest } from '../gateway/gateway.ts';

interface GatewayMethods {
  ping(): string;
  whoAmI(): string;
  createSession(request: SessionRequest): Session;
  countSessions(): number;
  sessions(): Subscription<Session>;
}

/** The gateway behind `binding` over Lumenize RPC: the token goes with the upgrade, sessions are a topic. */
export function lumenizeGateway(baseUrl: string, binding: string, instance: string, token: string): GatewayConnection {
  const stub = connect<GatewayMethods>(`${baseUrl.replace('http', 'ws')}/secure/${binding}/${instance}`, { token });
  return {
    ping: () => stub.ping(),
    whoAmI: () => stub.whoAmI(),
    createSession: (request) => stub.createSession(request),
    countSessions: () => stub.countSessions(),
    async listen(listener) {
      hearAll(await stub.sessions(), listener).catch(listener.fail);
    },
    close: () => stub[Symbol.dispose](),
  };
}

async function hearAll(subscription: Subscription<Session>, { created, fail }: SessionListener): Promise<void> {
  for await (const { event, missed } of subscription) {
    if (event === undefined) return fail(`${missed} sessions were left out`);
    created(event);
  }
  fail('the subscription has ended');
}
