import type { GatewayConnection, Session } from '../gateway/gateway.ts';
import { RawClient } from './raw-client.ts';

/** The gateway at `path` in the hand-written protocol: the first frame carries the token beside its call. */
export async function rawGateway(
  baseUrl: string,
  path: string,
  instance: string,
  token: string,
): Promise<GatewayConnection> {
  const client = await RawClient.connect(`${baseUrl.replace('http', 'ws')}/${path}/gateway/${instance}`);
  let isKnown = false;
  const call = <Result>(method: string, ...args: readonly unknown[]): Promise<Result> => {
    if (isKnown) return client.call<Result>(method, ...args);
    isKnown = true;
    return client.callAs<Result>(token, method, ...args);
  };
  return {
    ping: () => call<string>('ping'),
    whoAmI: () => call<string>('whoAmI'),
    createSession: (request) => call<Session>('createSession', request),
    countSessions: () => call<number>('countSessions'),
    async listen({ created, fail }) {
      // Whoever is known to the gateway is told: there is nothing to ask for.
      client.receiver = { receive: (_number, session) => created(session as unknown as Session), fail };
    },
    close: () => client.close(),
  };
}
