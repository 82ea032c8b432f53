import { connectHttp } from '@lumenize/rpc/http';
import { newHttpBatchRpcSession } from 'capnweb';
import type { Work } from '../work/work.ts';
import { capnweb, capnwebPlain } from './capnweb.ts';
import { FEATURE_SUBJECTS } from './features.ts';
import { earlier, lumenize, lumenizeAt } from './lumenize.ts';
import { PORT_SUBJECTS } from './ports.ts';
import { raw, rawAt, rawPlain } from './raw.ts';
import { connectionOf, connectionOver, inWorker, type Subject, type SubjectName } from './subject.ts';

/** Lumenize RPC over HTTP: the calls of a turn are the body of one request. */
const lumenizeHttp: Subject = {
  name: 'lumenize-http',
  carrier: 'http',
  async connect(baseUrl, instance) {
    const stub = connectHttp(`${baseUrl}/rpc/counter/${instance}`);
    return connectionOf(stub, () => stub[Symbol.dispose]());
  },
};

/** Cap'n Web over HTTP, as its documentation uses it: a session is one batch, so that every turn has one of its own. */
const capnwebHttp: Subject = {
  name: 'capnweb-http',
  carrier: 'http',
  connect(baseUrl, instance) {
    const session = newHttpBatchRpcSession as unknown as (url: string) => Work;
    return connectionOver(
      (calls) => calls(session(`${baseUrl}/capnweb/counter/${instance}`)),
      () => {},
    );
  },
};

/** Every subject by its name. */
export const SUBJECTS: Readonly<Record<SubjectName, Subject>> = {
  lumenize,
  // With hibernation off, on the socket kind that Cap'n Web uses.
  'lumenize-accept': lumenizeAt('lumenize-accept', 'counter-accept', 'gateway-accept'),
  // With a topic whose events are stored in batches, after they were sent.
  'lumenize-batches': lumenizeAt('lumenize-batches', 'counter-batches'),
  'lumenize-http': lumenizeHttp,
  // From a Worker to an object, carried by the platform's own RPC.
  'lumenize-native': inWorker('lumenize-native'),
  capnweb,
  'capnweb-plain': capnwebPlain,
  'capnweb-http': capnwebHttp,
  raw,
  // Over an `accept()`ed socket.
  'raw-accept': rawAt('raw-accept', 'raw-accept'),
  'raw-plain': rawPlain,
  // With the calls of a turn in one frame: the floor of a burst.
  'raw-one-frame': rawAt('raw-one-frame', 'raw', (client, n) => client.callInOneFrame(n, 'increment')),
  // The platform's own RPC from a Worker to the same object.
  native: inWorker('native'),
  earlier,
  ...PORT_SUBJECTS,
  ...FEATURE_SUBJECTS,
};
