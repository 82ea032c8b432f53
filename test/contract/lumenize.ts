import * as rpc from '@lumenize/rpc';
import { RpcTarget } from '@lumenize/rpc/memory';
import type { CallOptions, Library } from './library.ts';

type WithOptions = (stub: object, options: CallOptions) => object;

// By name, since the cases are written before the function is there.
const { withOptions } = rpc as unknown as { withOptions?: WithOptions };

/** This project's library as the contract uses it. */
export const LUMENIZE: Library = {
  RpcTarget,
  counts: (stub) => rpc.connection(stub).statistics,
  withOptions(stub, options) {
    if (withOptions === undefined) throw new Error('there is no withOptions() yet');
    return withOptions(stub, options);
  },
};
