import { newWebSocketRpcSession, type RpcTarget } from 'capnweb';
import type { BackEnd } from '../back-end.ts';
import type { Connect } from './caller.ts';

/** Cap'n Web as its documentation uses it: one session from a URL, no options. */
export const capnweb: Connect = (baseUrl, instance) => {
  const url = `${baseUrl.replace('http', 'ws')}/capnweb/load/${instance}`;
  const stub = newWebSocketRpcSession<RpcTarget & BackEnd>(url);
  return {
    noop: () => stub.noop(),
    insert: (text) => stub.insert(text),
    rows: () => stub.rows(),
    close: () => stub[Symbol.dispose](),
  };
};
