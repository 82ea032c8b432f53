import { RawClient } from '../../subjects/raw-client.ts';
import type { Connect } from './caller.ts';

/** Hand-written JSON over a hibernating socket. */
export const raw: Connect = rawAt('raw');

/** The same where the Worker turns off the compression of its socket. */
export const rawPlain: Connect = rawAt('raw-plain');

function rawAt(path: string): Connect {
  return async (baseUrl, instance) => {
    const client = await RawClient.connect(`${baseUrl.replace('http', 'ws')}/${path}/load/${instance}`);
    return {
      noop: () => client.call('noop'),
      insert: (text) => client.call<number>('insert', text),
      rows: () => client.call<number>('rows'),
      close: () => client.close(),
    };
  };
}
