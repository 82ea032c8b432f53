import { connect } from '@lumenize/rpc';
import { afterAll, beforeAll } from 'vitest';
import type { ServedWorker } from '../support/workerd.ts';
import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';
import { serveContract } from './serve.ts';

let worker: ServedWorker;
let instance = 0;

beforeAll(async () => {
  worker = await serveContract();
});

afterAll(() => worker?.[Symbol.asyncDispose]());

contract('a hibernating socket', (given) =>
  connect<ContractTarget>(worker.url(`/rpc/contract/test-${++instance}`), given as never),
);
contract('an accepted socket', (given) =>
  connect<ContractTarget>(worker.url(`/rpc/contract-accept/test-${++instance}`), given as never),
);
