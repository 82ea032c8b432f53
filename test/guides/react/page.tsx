import { useRpc } from '@lumenize/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { RoomApi } from './api.ts';
import { Indicator } from './indicator.tsx';
import { Rename } from './rename.tsx';
import { Room } from './room.tsx';
import { Suspended } from './suspended.tsx';

function Page() {
  const room = useRpc<RoomApi>('/rpc/room/lobby'); // the same connection as that of the components below
  return (
    <>
      <Indicator room={room} />
      <Room name="lobby" />
      <Rename name="lobby" />
      <Suspended name="lobby" />
    </>
  );
}

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
