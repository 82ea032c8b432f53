import { RawClient } from '../../subjects/raw-client.ts';
import type { Connect } from './caller.ts';

/** Hand-written JSON over a hibernating socket. */
export const raw: Connect = async (baseUrl, instance) => {
  const client = await RawClient.connect(`${baseUrl.replace('http', 'ws')}/raw/load/${instance}`);
  return {
    noop: () => client.call('noop'),
    insert: (text) => client.call<number>('insert', text),
    rows: () => client.call<number>('rows'),
    close: () => client.close(),
  };
};
