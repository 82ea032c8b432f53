import { parentPort, workerData } from 'node:worker_threads';
import { servePort } from '@lumenize/rpc/port';
import { ContractTarget } from '../contract/contract-target.ts';

// A thread that serves a target of its own on each port it is given, and one on its own port.
parentPort!.on('message', (message) => {
  if (message?.serve !== undefined) servePort(message.serve, new ContractTarget());
  if (message === 'end') process.exit(0);
});
if (workerData !== 'silent') servePort(parentPort!, new ContractTarget());

// A case that fails by leaving a rejection unhandled is not to end the thread under those that come after it.
process.on('unhandledRejection', (reason) => console.error('Unhandled in the thread:', reason));
