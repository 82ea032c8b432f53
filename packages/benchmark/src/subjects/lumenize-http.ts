import { connectHttp } from '@lumenize/rpc/http';
import { connectionOf } from './connection-over.ts';
import type { Connection, Subject } from './subject.ts';

/** Lumenize RPC over HTTP: the calls of a turn are the body of one request. */
export const lumenizeHttp: Subject = {
  name: 'lumenize-http',
  carrier: 'http',
  async connect(baseUrl, instance): Promise<Connection> {
    const stub = connectHttp(`${baseUrl}/rpc/counter/${instance}`);
    return connectionOf(stub, () => stub[Symbol.dispose]());
  },
};
