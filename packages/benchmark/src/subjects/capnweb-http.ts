import { newHttpBatchRpcSession } from 'capnweb';
import type { Work } from '../work/work.ts';
import { connectionOver } from './connection-over.ts';
import type { Connection, Subject } from './subject.ts';

/** Cap'n Web over HTTP, as its documentation uses it: a session is one batch, so that every turn has one of its own. */
export const capnwebHttp: Subject = {
  name: 'capnweb-http',
  carrier: 'http',
  connect(baseUrl, instance): Connection {
    const url = `${baseUrl}/capnweb/counter/${instance}`;
    const session = newHttpBatchRpcSession as unknown as (url: string) => Work;
    return connectionOver(
      (calls) => calls(session(url)),
      () => {},
    );
  },
};
