import { connectPort } from '@lumenize/rpc/port';
import { connectionOf } from './connection-over.ts';
import { openPort } from './open-port.ts';
import type { Connection, Subject } from './subject.ts';

/** Lumenize RPC over a MessagePort to another thread. */
export const lumenizePort: Subject = {
  name: 'lumenize-port',
  carrier: 'port',
  async connect(_baseUrl, instance): Promise<Connection> {
    const port = openPort('lumenize-port', instance);
    const stub = connectPort(port);
    return connectionOf(stub, () => {
      stub[Symbol.dispose]();
      port.close();
    });
  },
};
