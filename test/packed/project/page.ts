import { RpcError, RpcTarget } from '@lumenize/rpc';
import { connectHttp } from '@lumenize/rpc/http';
import { connectInMemory } from '@lumenize/rpc/memory';
import { connectPort, servePort } from '@lumenize/rpc/port';
import type { CounterApi } from './api.ts';
import { useCounter } from './client.ts';

class Adder extends RpcTarget {
  add(a: number, b: number): number {
    return a + b;
  }
}

/** What a page does with each way to connect. */
async function usePage(url: string): Promise<object> {
  const { port1, port2 } = new MessageChannel();
  servePort(port1, new Adder());
  return {
    counter: await useCounter(`${url}/rpc/counter/page`.replace(/^http/, 'ws')),
    http: await connectHttp<CounterApi>(`${url}/rpc/counter/http`).increment(),
    memory: await connectInMemory(new Adder()).add(1, 2),
    port: await connectPort<Adder>(port2).add(3, 4),
    error: new RpcError('DENIED', 'no').name,
  };
}

Object.assign(globalThis, { usePage });
