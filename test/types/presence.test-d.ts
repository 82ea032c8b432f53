import type { RpcTarget, Stub } from '@lumenize/rpc';
import { byPerson, type Member, type PresenceTarget, presenceStore } from '@lumenize/state/presence';
import { presence } from '@lumenize/state/presence/server';
import { usePresence } from '@lumenize/state/react';
import { type UploadedFile, type UploadTarget, upload } from '@lumenize/state/uploads';
import { expectTypeOf, test } from 'vitest';

interface Shown {
  name: string;
  cursor?: { x: number; y: number } | undefined;
}

declare class RoomApi extends RpcTarget {
  get presence(): PresenceTarget<Shown>;
  get files(): UploadTarget;
  title(): string;
}

const room = {} as Stub<RoomApi>;

test('a store has the fields that members show', () => {
  const store = presenceStore(room.presence);
  const { self, others } = store.get();
  expectTypeOf(self).toEqualTypeOf<Member<Shown> | undefined>();
  expectTypeOf(others).toEqualTypeOf<readonly Member<Shown>[]>();
  expectTypeOf(others[0].name).toEqualTypeOf<string | undefined>();
  expectTypeOf(others[0].id).toEqualTypeOf<string>();
  store.set({ cursor: { x: 1, y: 2 } });
  // @ts-expect-error nobody shows that
  store.set({ colour: 'red' });
  expectTypeOf(byPerson(others)).toEqualTypeOf<Map<string, Member<Shown>[]>>();
  // @ts-expect-error it is no presence
  presenceStore(room.files);
});

test('a component has them as well', () => {
  const { others, set } = usePresence(room, 'presence');
  expectTypeOf(others).toEqualTypeOf<readonly Member<Shown>[]>();
  set({ name: 'Ada' });
  // @ts-expect-error nobody shows that
  set({ colour: 'red' });
  // @ts-expect-error there is no such member
  usePresence(room, 'cursors');
  // @ts-expect-error it is no presence
  usePresence(room, 'files');
});

test('the options of a presence name the fields that there are', () => {
  const object = {} as Parameters<typeof presence>[0];
  presence<Shown>(object, { slow: ['name'] });
  // @ts-expect-error nobody shows that
  presence<Shown>(object, { slow: ['colour'] });
  presence<Shown, { user: string }>(object, { known: ({ identity }) => ({ name: identity.user }) });
});

test('an upload returns the file as it is stored', () => {
  expectTypeOf(upload(room.files, new Blob())).toEqualTypeOf<Promise<UploadedFile>>();
  // @ts-expect-error it has no files
  upload(room.presence, new Blob());
});
