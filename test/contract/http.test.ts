import { connect } from '@lumenize/rpc';
import { connectHttp } from '@lumenize/rpc/http';
import { afterAll, beforeAll } from 'vitest';
import type { ServedWorker } from '../support/workerd.ts';
import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';
import { serveContract } from './serve.ts';
import { STATELESS } from './stateless.ts';

let worker: ServedWorker;
let instance = 0;

beforeAll(async () => {
  worker = await serveContract();
});

afterAll(() => worker?.[Symbol.asyncDispose]());

contract(
  'HTTP to an object',
  (given) => connectHttp<ContractTarget>(worker.url(`/rpc/contract/test-${++instance}`), given as never),
  { lacks: STATELESS },
);
contract('HTTP to a plain Worker', (given) => connectHttp<ContractTarget>(worker.url('/plain'), given as never), {
  lacks: STATELESS,
});
contract('a socket to a plain Worker', (given) => connect<ContractTarget>(worker.url('/plain'), given as never));
