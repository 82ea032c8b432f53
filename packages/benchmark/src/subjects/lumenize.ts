import type { EarlierServer } from '@lumenize/hosts/host';
import { type ConnectOptions, connect, type Stub, type Subscription } from '@lumenize/rpc';
import type { Receiver, Work } from '../work/work.ts';
import { type Connection, connectionOf, type Subject, type SubjectName, type Subscribe } from './subject.ts';

/** The methods of a stub: those of `Work`, and a topic whose subscription is read in a loop. */
interface Methods extends Work {
  subscribe(): Subscription<never>;
}

/**
 * Creates the subject that calls the counter behind `binding` through Lumenize RPC, with the defaults of the client,
 * and the gateway behind the binding of the same kind. The token of the gateway is sent with the upgrade.
 */
export function lumenizeAt(name: SubjectName, binding: string): Subject {
  return {
    name,
    carrier: 'socket',
    connect(baseUrl, instance, token) {
      const path = token === undefined ? `rpc/${binding}` : `secure/${binding.replace('counter', 'gateway')}`;
      return connectionOf(...open(connect, baseUrl, `${path}/${instance}`, { token }));
    },
  };
}

/**
 * Connects with a client's own `connect`. Returns the stub, a function that closes it, and a function that subscribes.
 */
export function open(
  connectWith: typeof connect,
  baseUrl: string,
  path: string,
  options?: ConnectOptions,
): readonly [stub: Stub<Methods>, close: () => void, subscribe: Subscribe] {
  const stub = connectWith<Methods>(`${baseUrl.replace('http', 'ws')}/${path}`, options);
  const subscribe: Subscribe = async (receiver) => {
    readAll(await stub.subscribe(), receiver).catch(receiver.fail);
  };
  return [stub, () => stub[Symbol.dispose](), subscribe];
}

/** Reads a subscription. Rejects if events were left out, and when it has ended. */
async function readAll<Event>(subscription: Subscription<Event>, { receive }: Receiver<Event>): Promise<never> {
  for await (const { event, missed, sequence } of subscription) {
    if (event === undefined) throw new Error(`${missed} events were left out`);
    receive(sequence, event);
  }
  throw new Error('the subscription has ended');
}

/** Lumenize RPC as it is published, over a hibernating socket. */
export const lumenize: Subject = lumenizeAt('lumenize', 'counter');

let connectEarlier: ((instance: string) => Connection) | undefined;

/** Loads the client of the earlier state of the code. `earlier` uses it to call its own server. */
export async function loadEarlier({ url, client }: EarlierServer): Promise<void> {
  const module = (await import(client)) as { connect: typeof connect };
  connectEarlier = (instance) => connectionOf(...open(module.connect, url, `rpc/counter/${instance}`));
}

/** Lumenize RPC as it was at an earlier commit, client and server; see `loadEarlier`. */
export const earlier: Subject = {
  name: 'earlier',
  carrier: 'socket',
  connect(_baseUrl, instance) {
    if (connectEarlier === undefined) throw new Error('no earlier state of the code was loaded');
    return connectEarlier(instance);
  },
};
