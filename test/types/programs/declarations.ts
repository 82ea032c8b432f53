import { connect, RpcTarget } from '@lumenize/rpc';
import type { ApiOf, Methods } from '@lumenize/rpc/server';
import { z } from 'zod';

interface User {
  readonly name: string;
  readonly isAdmin: boolean;
}

const Card = z.object({ title: z.string(), column: z.string().default('todo') });

class Notes extends RpcTarget {
  static readonly rpc: Methods<Notes, User> = { list: { readOnly: true } };
  list(): string[] {
    return [];
  }
}

class Board extends Notes {
  static override readonly rpc = {
    ...Notes.rpc,
    add: { args: [Card, z.number().optional()], exactlyOnce: true },
    rename: { args: [z.string(), z.string()], guard: ({ identity }, from, to) => identity.isAdmin && from !== to },
    load: { idempotent: true },
    size: { guard: ({ identity }) => identity.name !== '' },
  } satisfies Methods<Board, User>;
  add({ title, column }: z.output<typeof Card>, place?: number): string {
    return `${title} ${column} ${place ?? 0}`;
  }
  rename(from: string, to: string): string {
    return from + to;
  }
  async load(): Promise<number> {
    return this.size;
  }
  get size(): number {
    return 1;
  }
}

/** What a class says of its methods, and its API for callers. */
export async function useDeclarations(): Promise<number> {
  using board = connect<ApiOf<typeof Board>>('ws://localhost/rpc/board/main');
  const added: string = await board.add({ title: 'x' });
  const renamed: string = await board.rename(board.add({ title: 'y', column: 'done' }, 1), 'z');
  // @ts-expect-error the title is missing
  await board.add({ column: 'todo' });
  return added.length + renamed.length + (await board.list()).length + (await board.size);
}
