import { MessageChannel, Worker } from 'node:worker_threads';
import { connectPort, servePort } from '@lumenize/rpc/port';
import { afterAll, beforeAll } from 'vitest';
import { contract } from './contract.ts';
import { ContractTarget } from './contract-target.ts';

let worker: Worker;
const ports: { close(): void }[] = [];

beforeAll(() => {
  worker = new Worker(new URL('./port-thread.ts', import.meta.url), {
    execArgv: ['--conditions=@lumenize/source'],
  });
});
afterAll(async () => {
  for (const port of ports) port.close();
  await worker?.terminate();
});

contract('a MessagePort', (given) => {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1);
  servePort(port2, new ContractTarget());
  return connectPort<ContractTarget>(port1, given as never);
});

contract('a MessagePort to another thread', (given) => {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1);
  worker.postMessage({ serve: port2 }, [port2]);
  return connectPort<ContractTarget>(port1, given as never);
});
