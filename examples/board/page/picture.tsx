import { useCall } from '@lumenize/react';
import type { Stub } from '@lumenize/rpc';
import { useEffect, useState } from 'react';
import type { BoardApi } from '../worker/board-target.ts';

/** The picture of a card, loaded over the same connection. */
export function Picture({ board, name, title }: { board: Stub<BoardApi>; name: string; title: string }) {
  const { value } = useCall(board, ['picture', name], (board) => board.picture(name));
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!value) return;
    const made = URL.createObjectURL(value);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [value]);
  return url ? <img src={url} alt={`Of ${title}`} /> : null;
}
