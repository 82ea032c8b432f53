import { connectionOf } from './connection-over.ts';
import type { Connection, Subject } from './subject.ts';
import { present } from './unavailable.ts';

// Looked for when it is used: without the entry its rows say so, and everything else is measured.
const entry = () => import('@lumenize/rpc/http').catch(() => undefined);

/** Lumenize RPC over HTTP: the calls of a turn are the body of one request. */
export const lumenizeHttp: Subject = {
  name: 'lumenize-http',
  carrier: 'http',
  async connect(baseUrl, instance): Promise<Connection> {
    const { connectHttp } = await present(entry(), '@lumenize/rpc/http');
    const stub = connectHttp(`${baseUrl}/rpc/counter/${instance}`);
    return connectionOf(stub, () => stub[Symbol.dispose]());
  },
};
