import type { Stub } from '@lumenize/rpc';
import { useState } from 'react';
import { type Card, COLUMNS, type ColumnName } from '../shared/cards.ts';
import type { BoardApi } from '../worker/board-target.ts';
import type { Act } from './board.tsx';
import { Picture } from './picture.tsx';
import { upload } from './upload.ts';

interface CardProps {
  readonly board: Stub<BoardApi>;
  readonly card: Card;
  readonly act: Act;
  readonly titles: Record<ColumnName, string>;
}

export function CardItem({ board, card, act, titles }: CardProps) {
  const [sent, setSent] = useState<number>();
  const attach = (file: File | undefined) => {
    if (!file) return;
    // Nothing is expected of it: the picture is there when all of it has arrived.
    act({ card }, async () => {
      try {
        await upload(board, card.id, file, setSent);
      } finally {
        setSent(undefined);
      }
    });
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
        onChange={({ target }) => {
          const column = target.value as ColumnName;
          act({ card: { ...card, column } }, () => board.move(card.id, column));
        }}
      >
        {COLUMNS.map((column) => (
          <option key={column} value={column}>
            {titles[column]}
          </option>
        ))}
      </select>{' '}
      <button type="button" onClick={() => act({ removed: card.id }, () => board.remove(card.id))}>
        Remove
      </button>
      <label>
        Picture{' '}
        <input
          type="file"
          accept="image/png,image/jpeg,image/webp,image/gif"
          onChange={({ target }) => attach(target.files?.[0])}
        />
      </label>
    </li>
  );
}
