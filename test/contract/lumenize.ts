import { connection, RpcTarget, withOptions } from '@lumenize/rpc';
import type { Library } from './library.ts';

/** This project's library as the contract uses it. */
export const LUMENIZE: Library = {
  RpcTarget,
  counts: (stub) => connection(stub).statistics,
  withOptions,
};
