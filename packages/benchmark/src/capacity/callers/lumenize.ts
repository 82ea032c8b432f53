import { connect } from '@lumenize/rpc';
import type { BackEnd } from '../back-end.ts';
import type { Connect } from './caller.ts';

/** Lumenize RPC as it ships, over a hibernating socket. */
export const lumenize: Connect = (baseUrl, instance) => {
  const stub = connect<BackEnd>(`${baseUrl.replace('http', 'ws')}/rpc/load/${instance}`);
  return {
    noop: () => stub.noop(),
    insert: (text) => stub.insert(text),
    rows: () => stub.rows(),
    close: () => stub[Symbol.dispose](),
  };
};
