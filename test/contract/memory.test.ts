import { connectInMemory } from '@lumenize/rpc/memory';
import { contract } from './contract.ts';
import { ContractTarget } from './contract-target.ts';

contract('memory', (options) => connectInMemory(new ContractTarget(), options), {
  lacks: { caller: 'whoever calls in memory is not identified' },
});
