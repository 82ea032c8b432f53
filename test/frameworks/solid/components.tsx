/** @jsxImportSource solid-js */
import { useCall, useConnectionState, useRpc, useSubscription } from '@lumenize/solid';
import { createSignal, For, Show } from 'solid-js';
import type { RoomApi } from '../../react/room-api.ts';

interface RoomProps {
  readonly url: string;
  readonly id: string;
}

function Room(props: RoomProps) {
  const room = useRpc<RoomApi>(props.url, { token: () => 'ada' });
  const connection = useConnectionState(room);
  const title = useCall(room, 'title', (room) => room.title());
  const own = useCall(room, 'own', (room) => room.ownTitle(), { initial: 'none' });
  const messages = useSubscription(room, 'messages', (room, since) => room.read({ since: since ?? 0 }));
  return (
    <section id={props.id} data-state={connection().state} data-missed={messages().missed}>
      <h1>{title().value ?? '…'}</h1>
      <h2>{own().value}</h2>
      <em>{own().error === undefined ? '' : String(own().error)}</em>
      <ol>
        <For each={messages().items}>{(item) => <li>{item.event ?? 'a gap'}</li>}</For>
      </ol>
      <output>{messages().latest}</output>
      <button type="button" class="rename" onClick={() => void room.rename('Garden').then(title().reload)}>
        Rename
      </button>
      <button type="button" class="say" onClick={() => void room.say('hello')}>
        Say
      </button>
    </section>
  );
}

function Rooms(props: { url: string }) {
  const [isBoth, showBoth] = createSignal(true);
  return (
    <main>
      <Room url={props.url} id="one" />
      <Show when={isBoth()}>
        <Room url={props.url} id="two" />
      </Show>
      <button type="button" id="leave" onClick={() => showBoth(false)}>
        Leave
      </button>
    </main>
  );
}

function Doubled(props: { url: string }) {
  const room = useRpc<RoomApi>(props.url);
  const [number, setNumber] = createSignal(1);
  const doubled = useCall(
    room,
    () => ['twice', number()],
    (room) => room.twice(number()),
  );
  const messages = useSubscription(
    room,
    () => ['read', number()],
    (room) => room.read({ since: number() > 1 ? undefined : 0 }),
  );
  return (
    <button type="button" id="next" onClick={() => setNumber(number() + 1)}>
      {`${doubled().value} ${messages().latest}`}
    </button>
  );
}

function Slow(props: { url: string; tell: (outcome: unknown) => void }) {
  const room = useRpc<RoomApi>(props.url);
  const { tell } = props;
  return (
    <button type="button" id="slow" onClick={() => void room.sayLater('late', 1500).then(tell, tell)}>
      Say it later
    </button>
  );
}

export const COMPONENTS = { Rooms, Doubled, Slow };
