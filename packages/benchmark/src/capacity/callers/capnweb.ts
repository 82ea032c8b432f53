import { newWebSocketRpcSession, type RpcTarget } from 'capnweb';
import type { BackEnd } from '../back-end.ts';
import type { Connect } from './caller.ts';

/** Cap'n Web as its documentation uses it: one session from a URL, no options. */
export const capnweb: Connect = capnwebAt('capnweb');

/** The same where the Worker turns off the compression of its socket. */
export const capnwebPlain: Connect = capnwebAt('capnweb-plain');

function capnwebAt(path: string): Connect {
  return (baseUrl, instance) => {
    const url = `${baseUrl.replace('http', 'ws')}/${path}/load/${instance}`;
    const stub = newWebSocketRpcSession<RpcTarget & BackEnd>(url);
    return {
      noop: () => stub.noop(),
      insert: (text) => stub.insert(text),
      rows: () => stub.rows(),
      close: () => stub[Symbol.dispose](),
    };
  };
}
