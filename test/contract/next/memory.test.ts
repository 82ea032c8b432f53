import { connectInMemory } from '@lumenize/rpc/memory';
import { contract } from '../contract.ts';
import { ContractTarget } from '../contract-target.ts';
import { DROPPED, MISSING_PARTS } from './dropped.ts';

contract('memory, core anew', (options) => connectInMemory(new ContractTarget(), options), {
  dropped: { ...DROPPED, ...MISSING_PARTS },
  lacks: { caller: 'whoever calls in memory is not identified' },
});
