import { connect } from '@lumenize/rpc';
import { connectHttp } from '@lumenize/rpc/http';
import { afterAll, beforeAll } from 'vitest';
import { contract } from './contract/contract.ts';
import type { ContractTarget } from './contract/contract-target.ts';
import { STATELESS } from './contract/stateless.ts';
import { type ServedWorker, serveTestWorker } from './support/workerd.ts';

let worker: ServedWorker;
let instance = 0;

beforeAll(async () => {
  worker = await serveTestWorker();
});
afterAll(() => worker?.[Symbol.asyncDispose]());

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
