import { describe, expect, test } from 'vitest';
import type { ContractTarget } from '../contract/contract-target.ts';
import { casesThatFail, POLLUTIONS } from '../contract/polluted.ts';
import { connectToSelf } from './self-transport.ts';

let instance = 0;

/**
 * The others take time here, and run in Node. With `toJSON` of all objects, the runtime itself fails to make a request: it
 * passes the properties of requests on as JSON.
 */
const TRIED = ['functions, data and accessors of all objects', 'what Prototype.js gives arrays'];

// Client and object share an isolate here, so both have the prototype.
describe('the contract holds over a hibernating socket with', () => {
  test.each(Object.entries(POLLUTIONS).filter(([name]) => TRIED.includes(name)))(
    '%s',
    { timeout: 180_000 },
    async (_name, [prototype, properties]) => {
      const connect = (options?: object) =>
        connectToSelf<ContractTarget>(`/rpc/contract/polluted-${++instance}`, options);
      expect(await casesThatFail(prototype, properties, connect)).toEqual([]);
    },
  );
});
