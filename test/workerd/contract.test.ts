import { contract } from '../contract/contract.ts';
import type { ContractTarget } from '../contract/contract-target.ts';
import { connectToSelf } from './self-transport.ts';

let instance = 0;

contract('a hibernating socket', (options) =>
  connectToSelf<ContractTarget>(`/rpc/contract/test-${++instance}`, options),
);
contract('an accepted socket', (options) =>
  connectToSelf<ContractTarget>(`/rpc/contract-accept/test-${++instance}`, options),
);
