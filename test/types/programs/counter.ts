import { connect, connection, RpcError } from '@lumenize/rpc';

interface Profile {
  owner: { name: string; email?: string };
  since: Date;
  tags: Set<string>;
}

interface CounterApi {
  increment(by?: number): number;
  getValue(): number;
  profile(): Profile;
  rename(profile: Profile): Promise<Profile | undefined>;
}

/** What most clients do: calls, a pipeline, results as arguments, an error. */
export async function useCounter(): Promise<Date | undefined> {
  using counter = connect<CounterApi>('ws://localhost:8787/rpc/counter/main');
  const [first, second]: [number, number] = await Promise.all([counter.increment(), counter.increment(10)]);
  const name: string = await counter.profile().owner.name;
  const value: number = await counter.increment(counter.getValue());
  try {
    await counter.rename({ ...(await counter.profile()), owner: counter.profile().owner });
  } catch (error) {
    if (error instanceof RpcError && error.code === 'NOT_EXECUTED') connection(counter).close();
  }
  const renamed = await counter.rename(counter.profile());
  return name.length > first + second + value ? renamed?.since : undefined;
}
