import { contract } from '../contract/contract.ts';
import type { ContractTarget } from '../contract/contract-target.ts';
import { connectToSelf } from './self-transport.ts';

let instance = 0;

contract('a hibernating socket', () => connectToSelf<ContractTarget>(`/rpc/contract/test-${++instance}`));
contract('an accepted socket', () => connectToSelf<ContractTarget>(`/rpc/contract-accept/test-${++instance}`));
