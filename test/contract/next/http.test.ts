import { connect } from '@lumenize/rpc';
import { connectHttp } from '@lumenize/rpc/http';
import { afterAll, beforeAll } from 'vitest';
import type { ServedWorker } from '../../support/workerd.ts';
import { contract } from '../contract.ts';
import type { ContractTarget } from '../contract-target.ts';
import { STATELESS } from '../stateless.ts';
import { DROPPED } from './dropped.ts';
import { serveNext } from './serve.ts';

let worker: ServedWorker;
let instance = 0;

beforeAll(async () => {
  worker = await serveNext();
});

afterAll(() => worker?.[Symbol.asyncDispose]());

contract(
  'HTTP to an object, core anew',
  (given) => connectHttp<ContractTarget>(worker.url(`/rpc/contract/test-${++instance}`), given as never),
  { dropped: DROPPED, lacks: STATELESS },
);
contract(
  'HTTP to a plain Worker, core anew',
  (given) => connectHttp<ContractTarget>(worker.url('/plain'), given as never),
  { dropped: DROPPED, lacks: STATELESS },
);
contract(
  'a socket to a plain Worker, core anew',
  (given) => connect<ContractTarget>(worker.url('/plain'), given as never),
  { dropped: DROPPED },
);
