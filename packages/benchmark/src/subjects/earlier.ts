import type { connect } from '@lumenize/rpc';
import type { EarlierServer } from '../hosts/host.ts';
import { lumenizeConnection } from './lumenize-at.ts';
import type { Subject } from './subject.ts';

type Connect = typeof connect;

let connectEarlier: Connect | undefined;
let earlierUrl = '';

/** Loads the client of the earlier state of the code, which `earlier` then calls its own server with. */
export async function loadEarlier({ url, client }: EarlierServer): Promise<void> {
  const module = (await import(client)) as { connect: Connect };
  connectEarlier = module.connect;
  earlierUrl = url;
}

/** Lumenize RPC as it was at an earlier commit, client and server: see `loadEarlier`. */
export const earlier: Subject = {
  name: 'earlier',
  carrier: 'socket',
  connect(_baseUrl, instance) {
    if (connectEarlier === undefined) throw new Error('no earlier state of the code was loaded');
    return lumenizeConnection(connectEarlier, earlierUrl, 'counter', instance);
  },
};
