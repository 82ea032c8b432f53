import { connectInMemory } from '@lumenize/rpc/memory';
import { describe, expect, test } from 'vitest';
import { ContractTarget } from './contract-target.ts';
import { casesThatFail, POLLUTIONS } from './polluted.ts';

describe('the contract holds in memory with', () => {
  test.each(Object.entries(POLLUTIONS))('%s', { timeout: 120_000 }, async (_name, [prototype, properties]) => {
    const connect = (options?: object) => connectInMemory(new ContractTarget(), options);
    const lacks = { caller: 'whoever calls in memory is not identified' };
    expect(await casesThatFail(prototype, properties, connect, lacks)).toEqual([]);
  });
});
