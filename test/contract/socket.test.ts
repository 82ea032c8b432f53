import { connect } from '@lumenize/rpc';
import { beforeAll } from 'vitest';
import { type SharedWorker, sharedWorker } from '../support/shared-worker.ts';
import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';

let worker: SharedWorker;
let instance = 0;

beforeAll(async () => {
  worker = await sharedWorker();
});

contract('a hibernating socket', (options) =>
  connect<ContractTarget>(worker.url(`/rpc/contract/test-${++instance}`), options),
);
contract('an accepted socket', (options) =>
  connect<ContractTarget>(worker.url(`/rpc/contract-accept/test-${++instance}`), options),
);
