import { fileURLToPath } from 'node:url';
import { connect } from '@lumenize/rpc';
import { afterAll, beforeAll } from 'vitest';
import { type ServedWorker, serveWorker } from '../../support/workerd.ts';
import { contract } from '../contract.ts';
import type { ContractTarget } from '../contract-target.ts';
import { DROPPED, MISSING_PARTS } from './dropped.ts';

const source = (file: string) => fileURLToPath(new URL(`../../../packages/rpc-next/src/${file}`, import.meta.url));

let worker: ServedWorker;
let instance = 0;

beforeAll(async () => {
  worker = await serveWorker({
    main: fileURLToPath(new URL('./worker.ts', import.meta.url)),
    alias: { '@lumenize/rpc/server': source('server.ts') },
    compatibilityDate: '2026-10-15',
    compatibilityFlags: ['nodejs_compat'],
    objects: { CONTRACT: 'ContractObject', CONTRACT_ACCEPT: 'ContractObjectAccept' },
  });
});

afterAll(() => worker?.[Symbol.asyncDispose]());

const options = { dropped: { ...DROPPED, ...MISSING_PARTS } };

contract(
  'a hibernating socket, core anew',
  (given) => connect<ContractTarget>(worker.url(`/rpc/contract/test-${++instance}`), given as never),
  options,
);
contract(
  'an accepted socket, core anew',
  (given) => connect<ContractTarget>(worker.url(`/rpc/contract-accept/test-${++instance}`), given as never),
  options,
);
