import { parentPort } from 'node:worker_threads';
import { servePort } from '@lumenize/rpc/port';
import { ContractTarget } from './contract-target.ts';

// A thread that serves a target of its own on each port it is given.
parentPort!.on('message', ({ serve }) => servePort(serve, new ContractTarget()));

// A case that fails by leaving a rejection unhandled is not to end the thread under those that come after it.
process.on('unhandledRejection', (reason) => console.error('Unhandled in the thread:', reason));
