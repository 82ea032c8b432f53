import { newMessagePortRpcSession } from 'capnweb';
import { connectionOf } from './connection-over.ts';
import { openPort } from './open-port.ts';
import type { Connection, Subject } from './subject.ts';

/** Cap'n Web over a MessagePort to another thread, without options. */
export const capnwebPort: Subject = {
  name: 'capnweb-port',
  carrier: 'port',
  connect(_baseUrl, instance): Connection {
    const port = openPort('capnweb-port', instance);
    const stub = newMessagePortRpcSession(port) as unknown as Disposable;
    return connectionOf(stub, () => {
      stub[Symbol.dispose]();
      port.close();
    });
  },
};
