import type { Stub } from '@lumenize/rpc';
import type { BoardApi } from '../worker/board-target.ts';

/** Sends a file as the board takes it, a chunk after the other, and tells how much of it is on its way: from 0 to 1. */
export async function upload(
  board: Stub<BoardApi>,
  id: string,
  file: File,
  onProgress: (sent: number) => void,
): Promise<void> {
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      onProgress(bytes / file.size);
      controller.enqueue(chunk);
    },
  });
  await board.attach(id, file.type, file.stream().pipeThrough(counted));
}
