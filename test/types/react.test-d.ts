import { useCall, useConnectionState, useRpc, useSubscription } from '@lumenize/react';
import type { ConnectionState, RpcError, Stub, SubscribeOptions, Subscription, TopicItem } from '@lumenize/rpc';
import { expectTypeOf, test } from 'vitest';

interface Message {
  from: string;
  text: string;
}

interface Owner {
  profile(): { name: string };
}

interface RoomApi {
  title(): string;
  read(options?: SubscribeOptions): Subscription<Message>;
  owner(): Owner;
}

const room = {} as Stub<RoomApi>;

test('a stub is of the API that it is asked for with', () => {
  expectTypeOf(useRpc<RoomApi>('/rpc/room/main')).toEqualTypeOf<Stub<RoomApi>>();
  expectTypeOf(useRpc<RoomApi>(new URL('wss://example.com'), { token: async () => 'ada' })).toEqualTypeOf<
    Stub<RoomApi>
  >();
  // @ts-expect-error there is no such option
  useRpc<RoomApi>('/rpc/room/main', { retries: 3 });
});

test('the value of a call is what it returns, or nothing yet', () => {
  const title = useCall(room, 'title', (room) => room.title());
  expectTypeOf(title.value).toEqualTypeOf<string | undefined>();
  expectTypeOf(title.promise).toEqualTypeOf<Promise<string>>();
  expectTypeOf(title.reload).toEqualTypeOf<() => Promise<string>>();
  const name = useCall(room, ['name', 1, undefined], (room) => room.owner().profile().name);
  expectTypeOf(name.value).toEqualTypeOf<string | undefined>();
  const length = useCall(room, 'length', async (room) => (await room.title()).length);
  expectTypeOf(length.value).toEqualTypeOf<number | undefined>();
  // @ts-expect-error there is no such method
  useCall(room, 'title', (room) => room.subtitle());
});

test('a call with a value to begin with always has one', () => {
  const title = useCall(room, 'title', (room) => room.title(), { initial: 'untitled' });
  expectTypeOf(title.value).toEqualTypeOf<string>();
  // @ts-expect-error it returns text
  useCall(room, 'title', (room) => room.title(), { initial: 1 });
});

test('a subscription has items and events of its topic', () => {
  const { items, latest, missed } = useSubscription(room, 'read', (room, since) => room.read({ since }), {
    keep: 10,
    onItem: (item) => expectTypeOf(item).toEqualTypeOf<TopicItem<Message>>(),
  });
  expectTypeOf(items).toEqualTypeOf<readonly TopicItem<Message>[]>();
  expectTypeOf(latest).toEqualTypeOf<Message | undefined>();
  expectTypeOf(missed).toEqualTypeOf<number>();
  // @ts-expect-error it is no subscription
  useSubscription(room, 'title', (room) => room.title());
});

test('a connection has a state, and a reason where there is none', () => {
  expectTypeOf(useConnectionState(room)).toEqualTypeOf<{
    readonly state: ConnectionState;
    readonly reason: RpcError | undefined;
  }>();
});
