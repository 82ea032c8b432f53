import { connect } from '@lumenize/rpc';
import { connectHttp } from '@lumenize/rpc/http';
import { beforeAll } from 'vitest';
import { type SharedWorker, sharedWorker } from '../support/shared-worker.ts';
import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';
import { STATELESS } from './stateless.ts';

let worker: SharedWorker;
let instance = 0;

beforeAll(async () => {
  worker = await sharedWorker();
});

contract(
  'HTTP to an object',
  (options) => connectHttp<ContractTarget>(worker.url(`/rpc/contract/test-${++instance}`), options),
  {
    lacks: STATELESS,
  },
);
contract('HTTP to a plain Worker', (options) => connectHttp<ContractTarget>(worker.url('/plain'), options), {
  lacks: STATELESS,
});
contract('a socket to a plain Worker', (options) => connect<ContractTarget>(worker.url('/plain'), options));
