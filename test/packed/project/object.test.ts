// Only compiled: it stands for a user's test that runs inside the Workers runtime.
import { connectToObject, hibernate } from '@lumenize/rpc/testing/workers';
import type { Counter } from './counter.ts';

export async function testCounter(namespace: DurableObjectNamespace<Counter>): Promise<number> {
  const stub = namespace.getByName('tested');
  const counter = connectToObject(stub);
  await counter.increment();
  await hibernate(stub);
  return counter.increment();
}
