import type { Stub } from '@lumenize/rpc';
import { useState } from 'react';
import { type Card, COLUMNS, type ColumnName } from '../shared/cards.ts';
import type { BoardApi } from '../worker/board-target.ts';
import type { Changes } from './changes.ts';
import { Picture } from './picture.tsx';
import { upload } from './upload.ts';

interface CardProps {
  readonly board: Stub<BoardApi>;
  readonly card: Card;
  readonly changes: Changes;
  readonly titles: Record<ColumnName, string>;
  readonly onProblem: (message: string) => void;
}

export function CardItem({ board, card, changes, titles, onProblem }: CardProps) {
  const [sent, setSent] = useState<number>();
  const attach = async (file: File | undefined) => {
    if (!file) return;
    try {
      await upload(board, card.id, file, setSent);
      onProblem('');
    } catch (error) {
      onProblem(error instanceof Error ? error.message : `${error}`);
    }
    setSent(undefined);
  };
  return (
    <li>
      <p>{card.title}</p>
      {card.picture && <Picture board={board} name={card.picture} title={card.title} />}
      {sent !== undefined && <progress aria-label="Uploading" value={sent} />}
      <small>{card.author}</small>{' '}
      <select
        aria-label={`Where ${card.title} is`}
        value={card.column}
        onChange={({ target }) => changes.move(card.id, target.value as ColumnName)}
      >
        {COLUMNS.map((column) => (
          <option key={column} value={column}>
            {titles[column]}
          </option>
        ))}
      </select>{' '}
      <button type="button" onClick={() => changes.remove(card.id)}>
        Remove
      </button>
      <label>
        Picture{' '}
        <input
          type="file"
          accept="image/png,image/jpeg,image/webp,image/gif"
          onChange={({ target }) => void attach(target.files?.[0])}
        />
      </label>
    </li>
  );
}
