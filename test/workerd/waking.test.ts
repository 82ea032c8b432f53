import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import type { ContractTarget } from '../contract/contract-target.ts';
import { connectToSelf } from './self-transport.ts';

const { CONTRACT } = env as unknown as { CONTRACT: DurableObjectNamespace };

/** Has what an object asks of its platform noted, in the life that begins with this. */
function noteAsked(object: DurableObjectStub, asked: string[]): Promise<() => void> {
  return runInDurableObject(object, (_object, ctx) => {
    const note = <Owner extends object>(owner: Owner, name: keyof Owner & string) => {
      const original = owner[name] as (...args: unknown[]) => unknown;
      owner[name] = function (this: unknown, ...args: unknown[]) {
        asked.push(name);
        return original.apply(this, args);
      } as Owner[typeof name];
      return () => {
        owner[name] = original as Owner[typeof name];
      };
    };
    const undo = [
      note(ctx.storage.sql, 'exec'),
      note(ctx, 'getWebSockets'),
      note(ctx, 'getWebSocketAutoResponse'),
      note(ctx, 'setWebSocketAutoResponse'),
      note(WebSocket.prototype, 'deserializeAttachment'),
      note(WebSocket.prototype, 'serializeAttachment'),
    ];
    return () => {
      for (const each of undo) each();
    };
  });
}

test('a message that wakes an object has one attachment read, and nothing else', async () => {
  const stubs = Array.from({ length: 3 }, () => connectToSelf<ContractTarget>('/rpc/contract/woken'));
  for (const stub of stubs) await stub.echo('');
  const object = CONTRACT.getByName('woken');
  await evictDurableObject(object);
  const asked: string[] = [];
  const undo = await noteAsked(object, asked);
  try {
    expect(await stubs[0].echo('first')).toBe('first');
    expect(asked).toEqual(['deserializeAttachment']);
    expect(await stubs[0].echo('second')).toBe('second');
    expect(asked).toHaveLength(1);
    expect(await stubs[1].echo('other')).toBe('other');
    expect(asked).toEqual(['deserializeAttachment', 'deserializeAttachment']);
  } finally {
    undo();
    for (const stub of stubs) stub[Symbol.dispose]();
  }
});
