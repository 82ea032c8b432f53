import { connect, type Stub, type TargetMark } from '@lumenize/rpc';

interface User {
  id: number;
  name: string;
  active: boolean;
}

interface Room extends TargetMark {
  readonly title: string;
  users(): User[];
  byName(): Map<string, User>;
  history(): AsyncGenerator<{ at: Date; text: string }>;
}

interface Api {
  rooms(): Room[];
  room(title: string): Promise<Room | undefined>;
  greet(name: string): string;
}

/** Lists of targets, and what is recorded over them. */
export async function useCollections(): Promise<number> {
  using api = connect<Api>('ws://localhost/rpc/api/main');
  const titles: string[] = await api.rooms().map((room) => room.title);
  const greetings: string[][] = await api.rooms().map((room) => room.users().map(({ name }) => api.greet(name)));
  const active: User[] = await api
    .room('x')
    .users()
    .filter((user) => user.active);
  const settled = await api.rooms().map((room) => ({ title: room.title, users: room.users() }), { settle: true });
  const ids: Map<string, number> = await api
    .room('x')
    .byName()
    .map((user) => user.id);
  const rooms: Stub<Room>[] = await api.rooms();
  let count = titles.length + greetings.length + active.length + ids.size;
  for (const item of settled) count += item.status === 'fulfilled' ? item.value.users.length : 0;
  for await (const { at } of await rooms[0]!.history()) count += at.getTime();
  return count;
}
