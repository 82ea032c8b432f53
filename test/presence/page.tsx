import { connect, connection, type Stub } from '@lumenize/rpc';
import type { PresenceTarget } from '@lumenize/state/presence';
import { usePresence } from '@lumenize/state/react';
import { type UploadTarget, upload } from '@lumenize/state/uploads';
import { StrictMode, useEffect } from 'react';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';

// The script of a page with two components that show who is in a room, and with an upload.

interface Shown {
  name: string;
  cursor: { x: number; y: number };
}

/** What is used here of `test/workerd/room-object.ts`. */
interface Api {
  readonly presence: PresenceTarget<Shown>;
  readonly files: UploadTarget;
}

export function Members({ room, name }: { room: Stub<Api>; name?: string }) {
  const { self, others, set } = usePresence(room, 'presence');
  useEffect(() => {
    if (name !== undefined) set({ name });
  }, [name, set]);
  return (
    <ul onPointerMove={({ clientX, clientY }) => set({ cursor: { x: clientX, y: clientY } })}>
      <li>{self?.name ?? 'nobody'}</li>
      {others.map(({ id, name, cursor }) => (
        <li key={id}>{`${name} at ${cursor?.x ?? '?'}`}</li>
      ))}
    </ul>
  );
}

let root: Root | undefined;
let room: Stub<Api> | undefined;

Object.assign(globalThis, {
  app: {
    render(url: string, name: string, isHydrating = false) {
      room ??= connect<Api>(url);
      const element = (
        <StrictMode>
          <Members room={room} name={name} />
          <Members room={room} />
        </StrictMode>
      );
      const place = document.querySelector('#root')!;
      if (isHydrating) root = hydrateRoot(place, element);
      else root ??= createRoot(place);
      root.render(element);
    },
    unmount: () => root?.unmount(),
    state: () => room && connection(room).state,
    /** Uploads bytes; returns their file with its progress. */
    async upload(size: number) {
      const progress: number[] = [];
      const file = new File([new Uint8Array(size).fill(7)], 'page.bin');
      const stored = await upload(room!.files, file, { onProgress: (bytes) => progress.push(bytes) });
      return { ...stored, progress };
    },
  },
});
