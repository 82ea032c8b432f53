import { connectInMemory } from '@lumenize/rpc/memory';
import { contract } from '../../../test/contract/contract.ts';
import { ContractTarget } from '../../../test/contract/contract-target.ts';

contract('memory', () => connectInMemory(new ContractTarget()));
