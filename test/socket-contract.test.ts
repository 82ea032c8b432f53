import { connect } from '@lumenize/rpc';
import { afterAll, beforeAll } from 'vitest';
import { contract } from './contract/contract.ts';
import type { ContractTarget } from './contract/contract-target.ts';
import { type ServedWorker, serveTestWorker } from './support/workerd.ts';

let worker: ServedWorker;
let instance = 0;

beforeAll(async () => {
  worker = await serveTestWorker();
});
afterAll(() => worker?.[Symbol.asyncDispose]());

contract('a hibernating socket', (options) =>
  connect<ContractTarget>(worker.url(`/rpc/contract/test-${++instance}`), options),
);
contract('an accepted socket', (options) =>
  connect<ContractTarget>(worker.url(`/rpc/contract-accept/test-${++instance}`), options),
);
