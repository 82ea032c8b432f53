import { part } from '../case.ts';
import type { CaseContext } from '../context.ts';
import { expect } from '../expect.ts';
import { clientCounter } from './client-counter.ts';

/** What both sides count when nothing is held or open; a library may have no count of its own for channels. */
const NOTHING = { exports: 0, imports: 0, heldResults: 0, channels: 0 };

async function untilNothing({ untyped, counts, serverCounts, until }: CaseContext): Promise<void> {
  const isNothing = (side: object) =>
    Object.keys(NOTHING).every((name) => ((side as Record<string, unknown>)[name] ?? 0) === 0);
  await until(async () => {
    await untyped.sum(1);
    return counts();
  }, isNothing);
  await until(serverCounts, isNothing);
}

export const STATISTICS = part(
  'statistics',
  [
    {
      name: 'count frames and bytes both ways',
      needs: ['frames'],
      async run({ stub, counts }) {
        const before = counts() as { framesSent: number; bytesSent?: number };
        await stub.echo('x'.repeat(1000));
        const after = counts() as { framesSent: number; bytesSent?: number };
        expect(after.framesSent - before.framesSent).toBe(1);
        expect((after.bytesSent ?? 0) - (before.bytesSent ?? 0)).toBeAtLeast(1000);
      },
    },
    {
      name: 'count calls until they settle',
      needs: ['state'],
      async run({ stub, counts }) {
        const held = [stub.held(1), stub.held(2)];
        expect(counts().callsInFlight).toBe(2);
        await stub.ran();
        expect(counts().callsInFlight).toBe(2);
        await stub.release();
        await Promise.all(held);
        expect(counts().callsInFlight).toBe(0);
      },
    },
    {
      name: 'count what is held of the server, on both sides, and return to zero',
      needs: ['references', 'state', 'serverStatistics'],
      async run(context) {
        const { untyped, counts, serverCounts } = context;
        const counters = await untyped.counters(3);
        expect(counts()).toMatchObject({ imports: 3, exports: 0 });
        expect(await serverCounts()).toMatchObject({ exports: 3, imports: 0 });
        for (const counter of counters) counter[Symbol.dispose]();
        await untilNothing(context);
      },
    },
    {
      name: 'count what the server holds of the client, on both sides, and return to zero',
      needs: ['references', 'state', 'serverStatistics'],
      async run(context) {
        const { untyped, counts, serverCounts } = context;
        await untyped.keepReference(clientCounter(context));
        expect(counts()).toMatchObject({ exports: 1, imports: 0 });
        expect(await serverCounts()).toMatchObject({ imports: 1, exports: 0 });
        await untyped.dropKept();
        await untilNothing(context);
      },
    },
    {
      name: 'return to zero after references of errors, promises and calls that failed',
      needs: ['references', 'state', 'serverStatistics'],
      async run(context) {
        const { untyped } = context;
        const { counter } = await untyped.throwsWithCounter().catch((error: unknown) => error);
        counter[Symbol.dispose]();
        expect(await (await untyped.promised()).later).toBe(6);
        await expect(untyped.incrementRemote({ no: 'counter' })).rejects.toBeInstanceOf(Error);
        await untilNothing(context);
      },
    },
    {
      name: 'count callbacks while the server may call them, and return to zero',
      needs: ['callbacks', 'state', 'serverStatistics'],
      async run(context) {
        const { untyped, counts, serverCounts } = context;
        await untyped.keepReference(() => 1);
        expect(counts().exports).toBe(1);
        expect((await serverCounts()).imports).toBe(1);
        await untyped.dropKept();
        await untilNothing(context);
      },
    },
    {
      name: 'count streams and iterables until they end, and return to zero',
      needs: ['channels', 'state', 'serverStatistics'],
      async run(context) {
        const { untyped, counts } = context;
        const reader = (await untyped.objects(1000)).getReader();
        await reader.read();
        expect(counts().channels).toBe(1);
        await reader.cancel();
        for await (const item of await untyped.count(10)) if (item === 5) break;
        await untyped.readAll(new ReadableStream({ start: (controller) => controller.close() }));
        await untilNothing(context);
      },
    },
    {
      name: 'are zero on the client when the connection has ended',
      needs: ['references', 'callbacks', 'state'],
      async run(context) {
        const { untyped, close, counts } = context;
        await untyped.counters(3);
        await untyped.keepReference(clientCounter(context));
        await untyped.listen(() => 1);
        const held = untyped.held(1).catch(() => {});
        close();
        await held;
        expect({ channels: 0, ...counts() }).toMatchObject({ ...NOTHING, callsInFlight: 0 });
      },
    },
  ],
  ['statistics'],
);
