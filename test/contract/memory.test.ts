import { connectInMemory } from '@lumenize/rpc/memory';
import { contract } from './contract.ts';
import { ContractTarget } from './contract-target.ts';
import { DROPPED } from './dropped.ts';

contract('memory', (options) => connectInMemory(new ContractTarget(), options), {
  dropped: DROPPED,
  lacks: { caller: 'whoever calls in memory is not identified' },
});
