import { fileURLToPath } from 'node:url';
import { seededRandom } from '@lumenize/hosts/random';
import { connect, type RpcError } from '@lumenize/rpc';
import { expect, inject, test } from 'vitest';
import type { OpenTransport } from '../../../packages/rpc/src/transport/transport.ts';
import { serveWorker } from '../../support/workerd.ts';

// biome-ignore lint/suspicious/noExplicitAny: the types of clients come with the switch
type Any = any;

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** How long connections are cut, at least one round of calls. */
const FOR_MS = Number(process.env.CUTS_MS ?? 15_000);
/** The share of messages with which a connection ends. */
const SHARE = 0.08;
/** Codes of calls whose connection was lost. */
const LOST = ['OUTCOME_UNKNOWN', 'NOT_EXECUTED', 'REFERENCE_LOST'];
const WORKERS = 3;
const TURNS = 25;

/** A transport that ends at any time: with a message that arrives, and before or behind one that is sent. */
function cutting(open: OpenTransport, ends: (share: number) => boolean): OpenTransport {
  return (events, offer) => {
    let isOver = false;
    const end = () => {
      isOver = true;
      transport.close(4000, '');
      setTimeout(() => events.closed(1006, ''));
    };
    const transport = open(
      {
        ...events,
        opened: () => isOver || events.opened(),
        received(message) {
          if (isOver) return;
          if (ends(SHARE)) end();
          else events.received(message);
        },
        closed(code, reason) {
          if (!isOver) events.closed(code, reason);
          isOver = true;
        },
      },
      offer,
    );
    return {
      ...transport,
      send(message) {
        if (isOver) return;
        if (ends(SHARE / 2)) return end();
        transport.send(message);
        if (ends(SHARE / 2)) end();
      },
    };
  };
}

test('whatever is cut and when, each call settles, nothing runs twice that may not, and nothing is lost that must not', {
  timeout: FOR_MS + 120_000,
}, async () => {
  const { seed } = inject('fuzz');
  const random = seededRandom(seed);
  await using worker = await serveWorker({
    main: here('./cuts-worker.ts'),
    compatibilityDate: '2026-10-15',
    compatibilityFlags: ['nodejs_compat'],
    objects: { CUTS: 'CutsObject' },
  });
  const until = performance.now() + FOR_MS;
  let cuts = 0;
  let settled = 0;
  for (let round = 0; round === 0 || performance.now() < until; round++) {
    let isCutting = true;
    const ends = (share: number) => {
      if (!isCutting || random() >= share) return false;
      cuts++;
      return true;
    };
    const stub: Any = connect(worker.url(`/rpc/cuts/seed-${seed}-round-${round}`), {
      reconnect: { minDelayMs: 5, maxDelayMs: 50 },
      maxWaitMs: 20_000,
      onStateChange: () => {},
      wrapTransport: (open) => cutting(open, ends),
    });
    /** How calls have ended that leave a row: `ran`, or a code. */
    const rows = new Map<string, string>();
    const onces = new Set<string>();
    const puts = new Map<string, number>();
    const room = await Promise.resolve(stub.room('kept')).catch(() => undefined);
    /** Makes a call that returns `expected`, or fails with one of these codes. Returns how it has ended. */
    const check = async (make: () => unknown, expected: unknown, codes: readonly string[]): Promise<string> => {
      try {
        expect(await make()).toBe(expected);
        return 'ran';
      } catch (error) {
        const { code } = error as RpcError;
        if (!codes.includes(code)) throw error;
        return code;
      } finally {
        settled++;
      }
    };
    const leaves = async (tag: string, make: () => unknown, codes: readonly string[]) => {
      rows.set(tag, await check(make, tag, codes));
    };
    let tags = 0;
    const use = async (by: number): Promise<unknown> => {
      const tag = `${by}-${tags++}`;
      const kinds: (() => Promise<unknown>)[] = [
        () => {
          onces.add(tag);
          return leaves(tag, () => stub.once(tag), ['OUTCOME_UNKNOWN']);
        },
        () => {
          onces.add(tag);
          return leaves(tag, () => (room ?? stub.room('other')).put(tag), ['OUTCOME_UNKNOWN']);
        },
        () => leaves(tag, () => stub.plain(tag), ['OUTCOME_UNKNOWN', 'NOT_EXECUTED']),
        () => check(() => stub.slow(tag), tag, LOST),
        () => check(() => stub.call((value: number) => value + 1, 4), 5, LOST),
        () =>
          check(
            async () => {
              let sum = 0;
              for await (const n of stub.count(5)) sum += n;
              return sum;
            },
            10,
            LOST,
          ),
        () => check(() => stub.room('x').name, 'x', LOST),
        () => check(async () => (await stub.file(tag)).file.text(), tag, LOST),
        // A step that is used in a later turn.
        () =>
          check(
            async () => {
              const { deep } = stub.data(tag);
              await deep.tag;
              return deep.tag;
            },
            tag,
            LOST,
          ),
        async () => {
          const key = `of ${by}`;
          const value = tags;
          puts.set(key, value);
          // What is unknown may have been put, or not.
          if ((await check(() => stub.put(key, value), value, ['OUTCOME_UNKNOWN'])) !== 'ran') puts.delete(key);
        },
      ];
      return kinds[Math.floor(random() * kinds.length)]();
    };
    const work = async (by: number) => {
      for (let turn = 0; turn < TURNS; turn++) {
        await Promise.all(Array.from({ length: 1 + Math.floor(random() * 4) }, () => use(by)));
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, (_, by) => work(by)));
    isCutting = false;
    const [log, kv] = await stub.written();
    for (const [key, value] of puts) expect([key, kv[key]]).toEqual([key, value]);
    for (const [tag, ended] of rows) {
      const times = log.filter((each: string) => each === tag).length;
      if (ended === 'ran') expect([tag, times]).toEqual([tag, 1]);
      else if (ended === 'NOT_EXECUTED') expect([tag, times]).toEqual([tag, 0]);
      else expect(times).toBeLessThanOrEqual(1);
    }
    expect(onces.size).toBeGreaterThan(0);
    stub[Symbol.dispose]();
  }
  expect(cuts).toBeGreaterThan(20);
  expect(settled).toBeGreaterThan(WORKERS * TURNS);
});
