import { useConnectionState, useRpc } from '@lumenize/react';
import { useFollow, useRecords, useStatus, useUnsaved } from '@lumenize/state/react';
import { type FormEvent, useMemo, useState } from 'react';
import { COLUMNS, type ColumnName, type User } from '../shared/cards.ts';
import type { BoardApi } from '../worker/board-target.ts';
import { CardItem } from './card-item.tsx';
import { changesOf } from './changes.ts';

const TITLES: Record<ColumnName, string> = { todo: 'To do', doing: 'Doing', done: 'Done' };

interface BoardProps {
  readonly name: string;
  readonly user: User;
  readonly onSignOut: () => void;
}

export function Board({ name, user, onSignOut }: BoardProps) {
  const board = useRpc<BoardApi>(`/rpc/board/${encodeURIComponent(name)}`);
  const { state, reason } = useConnectionState(board);
  const store = useFollow(board, (api, since) => api.follow(since));
  const changes = useMemo(() => changesOf(board, store, user), [board, store, user]);
  const cards = useRecords(store, 'cards').toSorted((one, other) => one.place - other.place);
  const isLoading = useStatus(store) === 'loading';
  const unsaved = useUnsaved(store);
  const [problem, setProblem] = useState('');
  const signOut = async () => {
    await fetch('/session', { method: 'DELETE' });
    onSignOut();
  };
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    changes.add(crypto.randomUUID(), `${new FormData(event.currentTarget).get('title')}`);
    event.currentTarget.reset();
  };
  return (
    <>
      <header>
        <h1>{name}</h1>
        {state === 'reconnecting' && <p role="status">Connecting …</p>}
        {state === 'closed' && <p role="alert">{reason?.message}</p>}
        <p>
          {user.name}{' '}
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        </p>
      </header>
      {isLoading ? (
        <p role="status">Loading …</p>
      ) : (
        <main>
          <form onSubmit={add}>
            <input name="title" aria-label="A new card" required maxLength={200} /> <button type="submit">Add</button>
          </form>
          {problem && <p role="alert">{problem}</p>}
          {unsaved.map((each, at) => (
            <p role="alert" key={at}>
              {each.error instanceof Error ? each.error.message : `${each.error}`}{' '}
              <button type="button" onClick={each.take}>
                Dismiss
              </button>
            </p>
          ))}
          <div className="columns">
            {COLUMNS.map((column) => (
              <section key={column} aria-label={TITLES[column]}>
                <h2>{TITLES[column]}</h2>
                <ul>
                  {cards
                    .filter((card) => card.column === column)
                    .map((card) => (
                      <CardItem
                        key={card.id}
                        board={board}
                        card={card}
                        changes={changes}
                        titles={TITLES}
                        onProblem={setProblem}
                      />
                    ))}
                </ul>
              </section>
            ))}
          </div>
        </main>
      )}
    </>
  );
}
