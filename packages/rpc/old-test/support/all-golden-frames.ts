import type { Message } from '@lumenize/rpc';
import { messageOf, readLine, VECTORS } from './vectors.ts';

/** A frame that pins the wire, and what it is an example of. */
export interface GoldenFrame {
  readonly name: string;
  readonly direction: 'up' | 'down';
  readonly message: Message;
}

/** Every golden frame that there is, in the order of the files that hold them. */
export function goldenFrames(): GoldenFrame[] {
  return Object.values(VECTORS)
    .flat()
    .flatMap(({ name, frames }) =>
      frames.map(readLine).map(({ way, content }) => {
        return { name, direction: way === 'up' ? 'up' : 'down', message: messageOf(content) } as const;
      }),
    );
}
