import { callEach } from './call-each.ts';
import { RawClient } from './raw-client.ts';
import { rawEvents } from './raw-events.ts';
import { rawGateway } from './raw-gateway.ts';
import type { Connection, Subject, SubjectName } from './subject.ts';

/** Makes `n` increments within one turn, in the frames that a subject chooses. */
export type Burst = (client: RawClient, n: number) => Promise<number[]>;

/** Makes the subject that calls the counter, and the gateway, at `path` through the hand-written protocol. */
export function rawAt(name: SubjectName, path: string, burst: Burst = aFrameEach): Subject {
  return {
    name,
    carrier: 'socket',
    async connect(baseUrl, instance): Promise<Connection> {
      const client = await RawClient.connect(`${baseUrl.replace('http', 'ws')}/${path}/counter/${instance}`);
      return {
        increment: () => client.call<number>('increment'),
        getValue: () => client.call<number>('getValue'),
        reset: () => client.call<null>('reset'),
        incrementInOneTurn: (n) => burst(client, n),
        events: rawEvents(client),
        close: () => client.close(),
      };
    },
    connectAs: (baseUrl, instance, token) => rawGateway(baseUrl, path, instance, token),
  };
}

function aFrameEach(client: RawClient, n: number): Promise<number[]> {
  return callEach(n, () => client.call<number>('increment'));
}
