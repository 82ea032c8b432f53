import { useCall, useConnectionState, useRpc, useSubscription } from '@lumenize/react';
import type { Position, Stub } from '@lumenize/rpc';
import { type FormEvent, startTransition, useOptimistic, useReducer, useState } from 'react';
import { type Card, type Change, COLUMNS, type ColumnName, type User } from '../shared/cards.ts';
import type { BoardApi } from '../worker/board-target.ts';
import { CardItem } from './card-item.tsx';
import { changed } from './changes.ts';

const TITLES: Record<ColumnName, string> = { todo: 'To do', doing: 'Doing', done: 'Done' };

interface BoardProps {
  readonly name: string;
  readonly user: User;
  readonly onSignOut: () => void;
}

export function Board({ name, user, onSignOut }: BoardProps) {
  const board = useRpc<BoardApi>(`/rpc/board/${encodeURIComponent(name)}`);
  const { state, reason } = useConnectionState(board);
  const { value, error, reload } = useCall(board, 'load', (board) => board.load());
  const signOut = async () => {
    await fetch('/session', { method: 'DELETE' });
    onSignOut();
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
      {value ? (
        <Columns board={board} user={user} loaded={value.cards} position={value.position} reload={reload} />
      ) : (
        <p role="status">{error instanceof Error ? error.message : 'Loading …'}</p>
      )}
    </>
  );
}

interface ColumnsProps {
  readonly board: Stub<BoardApi>;
  readonly user: User;
  readonly loaded: readonly Card[];
  readonly position: Position;
  readonly reload: () => Promise<unknown>;
}

/** Makes a change: shows it at once, and takes it back where the call for it fails. */
export type Act = (change: Change, call: () => PromiseLike<unknown>) => void;

function Columns({ board, user, loaded, position, reload }: ColumnsProps) {
  const [cards, apply] = useReducer(changed, loaded);
  // What is loaded again takes the place of what was there. A key would do that, too, and forget what is being typed.
  const [base, setBase] = useState(loaded);
  if (base !== loaded) {
    setBase(loaded);
    apply({ all: loaded });
  }
  useSubscription(board, 'changes', (board, since) => board.changes({ since: since ?? position }), {
    onItem({ event, missed }) {
      if (missed !== undefined) void reload();
      else apply(event);
    },
  });

  // The event of a change arrives before the answer of the call that made it: what was expected becomes what is.
  const [shown, expect] = useOptimistic(cards, changed);
  const [problem, setProblem] = useState('');
  const act: Act = (change, call) =>
    startTransition(async () => {
      expect(change);
      try {
        await call();
        setProblem('');
      } catch (error) {
        setProblem(error instanceof Error ? error.message : `${error}`);
      }
    });

  // No `action`: React would empty the form when the call has been answered, with what is being typed by then.
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const title = `${new FormData(event.currentTarget).get('title')}`;
    event.currentTarget.reset();
    const card: Card = { id: crypto.randomUUID(), title, column: 'todo', author: user.name };
    act({ card }, () => board.add(card.id, card.title));
  };
  return (
    <main>
      <form onSubmit={add}>
        <input name="title" aria-label="A new card" required maxLength={200} /> <button type="submit">Add</button>
      </form>
      {problem && <p role="alert">{problem}</p>}
      <div className="columns">
        {COLUMNS.map((column) => (
          <section key={column} aria-label={TITLES[column]}>
            <h2>{TITLES[column]}</h2>
            <ul>
              {shown
                .filter((card) => card.column === column)
                .map((card) => (
                  <CardItem key={card.id} board={board} card={card} act={act} titles={TITLES} />
                ))}
            </ul>
          </section>
        ))}
      </div>
    </main>
  );
}
