import { useCall, useConnectionState, useRpc, useSubscription } from '@lumenize/react';
import { useState } from 'react';
import type { RoomApi } from '../../react/room-api.ts';

interface RoomProps {
  readonly url: string;
  readonly id: string;
}

function Room({ url, id }: RoomProps) {
  const room = useRpc<RoomApi>(url, { token: () => 'ada' });
  const { state } = useConnectionState(room);
  const title = useCall(room, 'title', (room) => room.title());
  const own = useCall(room, 'own', (room) => room.ownTitle(), { initial: 'none' });
  const messages = useSubscription(room, 'messages', (room, since) => room.read({ since: since ?? 0 }));
  return (
    <section id={id} data-state={state} data-missed={messages.missed}>
      <h1>{title.value ?? '…'}</h1>
      <h2>{own.value}</h2>
      <em>{own.error === undefined ? '' : String(own.error)}</em>
      <ol>
        {messages.items.map(({ sequence, event }) => (
          <li key={sequence}>{event ?? 'a gap'}</li>
        ))}
      </ol>
      <output>{messages.latest}</output>
      <button type="button" className="rename" onClick={() => void room.rename('Garden').then(title.reload)}>
        Rename
      </button>
      <button type="button" className="say" onClick={() => void room.say('hello')}>
        Say
      </button>
    </section>
  );
}

function Rooms({ url }: { url: string }) {
  const [isBoth, showBoth] = useState(true);
  return (
    <main>
      <Room url={url} id="one" />
      {isBoth && <Room url={url} id="two" />}
      <button type="button" id="leave" onClick={() => showBoth(false)}>
        Leave
      </button>
    </main>
  );
}

function Doubled({ url }: { url: string }) {
  const room = useRpc<RoomApi>(url);
  const [number, setNumber] = useState(1);
  const { value } = useCall(room, ['twice', number], (room) => room.twice(number));
  const { latest } = useSubscription(room, ['read', number], (room) =>
    room.read({ since: number > 1 ? undefined : 0 }),
  );
  return (
    <button type="button" id="next" onClick={() => setNumber(number + 1)}>
      {`${value} ${latest}`}
    </button>
  );
}

function Slow({ url, tell }: { url: string; tell: (outcome: unknown) => void }) {
  const room = useRpc<RoomApi>(url);
  return (
    <button type="button" id="slow" onClick={() => void room.sayLater('late', 1500).then(tell, tell)}>
      Say it later
    </button>
  );
}

export const COMPONENTS = { Rooms, Doubled, Slow };
