import { connect, connection, RpcError } from '@lumenize/rpc';
import type { CounterApi } from './api.ts';

/** Uses what a client has at once, and every part that it loads when that is needed; returns what came of it. */
export async function useCounter(url: string): Promise<object> {
  const counter = connect<CounterApi>(url);
  const values = await Promise.all([counter.increment(), counter.increment(2)]);
  const { badges, since } = await counter.owner();
  const name = await counter.owner().name;
  const called = await counter.each([1, 2], (value) => value * 2);
  const mapped = await counter.people().map((person) => person.name);
  const counted: number[] = [];
  for await (const value of await counter.countDown(3)) counted.push(value);
  const changes: number[] = [];
  for await (const { sequence, event } of await counter.changes()) {
    changes.push(event ?? Number.NaN);
    if (sequence === 2) break;
  }
  const refused = await counter.refuse().catch((error: unknown) => error instanceof RpcError && error.code);
  const caller = await counter.caller();
  connection(counter).close();
  return {
    values,
    name,
    badges: [...badges].map(String),
    since: since.getTime(),
    called,
    mapped,
    counted,
    changes,
    refused,
    caller,
  };
}
