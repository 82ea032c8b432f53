import { connectionOf } from './connection-over.ts';
import { openPort } from './open-port.ts';
import type { Connection, Subject } from './subject.ts';
import { present } from './unavailable.ts';

// Looked for when it is used: without the entry its rows say so, and everything else is measured.
const entry = () => import('@lumenize/rpc/port').catch(() => undefined);

/** Lumenize RPC over a MessagePort to another thread. */
export const lumenizePort: Subject = {
  name: 'lumenize-port',
  carrier: 'port',
  async connect(_baseUrl, instance): Promise<Connection> {
    const { connectPort } = await present(entry(), '@lumenize/rpc/port');
    const port = openPort('lumenize-port', instance);
    const stub = connectPort(port);
    return connectionOf(stub, () => {
      stub[Symbol.dispose]();
      port.close();
    });
  },
};
