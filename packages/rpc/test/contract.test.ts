import { connectInMemory } from '@lumenize/rpc/memory';
import { contract } from '../../../test/contract/contract.ts';
import { ContractTarget } from '../../../test/contract/contract-target.ts';

contract('memory', (options) => connectInMemory(new ContractTarget(), options), {
  lacks: { caller: 'whoever calls in memory is not identified' },
});
