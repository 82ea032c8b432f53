import assert from 'node:assert/strict';
import type { Stub } from '@lumenize/rpc';
import type { CounterApi } from '../worker/counter.ts';
import { type Checks, counting, probing } from './probing.ts';

/** What the simulated object does that cannot be tried on workerd, or only by chance. */
export const OBJECT_CHECKS: Checks = {
  'tells nobody of what a crash can still undo': async () => {
    let lost = 0;
    for (let seed = 0; seed < 40; seed++) {
      const [acknowledged, stored] = await counting(
        async (world, counter) => {
          let acknowledged = 0;
          const note = (value: number) => {
            acknowledged = Math.max(acknowledged, value);
          };
          for (let i = 0; i < 5; i++) {
            counter.increment().then(note, () => {});
            await world.sleep(15);
          }
          const seen = world.trace.filter((line) => / commit /.test(line)).length;
          await world.fault({ kind: 'crash', keepsCommits: false });
          const before = acknowledged;
          const other = world.connect(1, { maxWaitMs: 60_000 }) as Stub<CounterApi>;
          const stored = await other.value();
          if (stored < seen) lost++;
          return [before, stored];
        },
        { maxDurableMs: 100 },
        seed,
      );
      assert(stored >= acknowledged, `${stored} stored, and ${acknowledged} told of`);
    }
    assert(lost > 0, 'no commit was lost');
  },
  'keeps commits over a crash that spares them': () =>
    counting(
      async (world, counter) => {
        counter.increment().catch(() => {});
        while (!world.trace.some((line) => / commit /.test(line))) await world.sleep(1);
        await world.fault({ kind: 'crash', keepsCommits: true });
        assert.equal(await (world.connect(1) as Stub<CounterApi>).value(), 1);
      },
      { maxDurableMs: 10_000 },
    ),
  'hibernates after ten seconds, and wakes with its sockets and their attachments': () =>
    probing(async ({ world, get, log, socket }) => {
      const { send, told } = await socket(0, 'socket?tag=a');
      await get('attachment');
      await get('quick');
      await world.sleep(9000);
      assert.deepEqual([world.lives, await log()], [1, ['quick']]);
      await world.sleep(10_500);
      assert(world.trace.some((line) => line.endsWith('hibernates')));
      send('echo woken');
      await world.sleep(100);
      assert.deepEqual([world.lives, told, await log()], [2, ['woken'], [['message', 'echo woken', 1]]]);
      assert.deepEqual((await get('tags')) as unknown[], [[['a']], 0, [['a']], 1]);
    }),
  'answers what it is told to without being woken': () =>
    probing(async ({ world, get, socket }) => {
      const { send, told } = await socket(0);
      await get('auto');
      await world.sleep(11_000);
      send('ping');
      await world.sleep(100);
      assert.deepEqual([world.lives, told], [1, ['pong']]);
    }),
  'stays in memory for timers, handlers and sockets that do not hibernate': async () => {
    await probing(async ({ world, socket }) => {
      const { close } = await socket(0, 'accepted');
      await world.sleep(60_000);
      assert.match(world.leftovers().join(), /cannot leave memory: 1 accepted/);
      close(1000);
      await world.sleep(11_000);
      assert.deepEqual([world.leftovers(), world.lives], [[], 1]);
    });
    await probing(async ({ world, get }) => {
      void get('wait?ms=30000');
      await world.sleep(15_000);
      assert.match(world.leftovers().join(), /cannot leave memory: 1 events, 1 timers/);
    });
  },
  'leaves memory when it is told to, but not before what is under way is done': () =>
    probing(async ({ world, get }) => {
      const waiting = get('wait?ms=500');
      await world.sleep(10);
      await world.fault({ kind: 'evict' });
      await world.sleep(100);
      assert.equal(world.leftovers().length, 1);
      assert.equal(await waiting, 500);
      await world.sleep(1);
      assert.deepEqual(world.leftovers(), []);
    }),
  'loses timers and handlers in a crash, and who waits is told': () =>
    probing(async ({ world, get, log }) => {
      const waiting = get('wait?ms=500');
      await world.sleep(10);
      await world.fault({ kind: 'crash', keepsCommits: true });
      assert.equal(await waiting, 500);
      await world.sleep(1000);
      assert.deepEqual(await log(), []);
    }),
  'says of nothing that nobody handled it, when a crash ends handlers of sockets': () =>
    probing(async ({ world, socket }) => {
      const hibernating = await socket(0);
      const accepted = await socket(1, 'accepted');
      for (const { send } of [hibernating, accepted]) for (let i = 0; i < 3; i++) send('block');
      await world.sleep(35);
      await world.fault({ kind: 'crash', keepsCommits: true });
      await world.sleep(1000);
      assert.deepEqual([world.unhandled, hibernating.told, accepted.told], [[], [1006], [1006]]);
    }),
  'lets no event in while it waits for storage': () =>
    probing(
      async ({ world, socket }) => {
        const { send, told } = await socket(0);
        for (let i = 0; i < 5; i++) send('increment');
        send('echo last');
        await world.sleep(2000);
        assert.deepEqual(told, ['value 1', 'value 2', 'value 3', 'value 4', 'value 5', 'last']);
      },
      { maxStorageMs: 50 },
    ),
  'ends with its sockets when a commit fails, and nothing of that is stored or told': () =>
    probing(async ({ world, get, socket }) => {
      const { send, told } = await socket(0);
      await world.fault({ kind: 'disk', how: 'failing', ms: 1000 });
      send('write-then-send 1');
      await world.sleep(900);
      assert.deepEqual(told, [1006]);
      await world.sleep(200);
      const { send: again, told: toldAgain } = await socket(0);
      again('increment');
      await world.sleep(200);
      assert.deepEqual([toldAgain, world.lives], [['value 1'], 2]);
      assert.equal(await get('increment'), 2);
    }),
  'rings an alarm that was set before it left memory or crashed': () =>
    probing(async ({ world, get, log }) => {
      await get('alarm?ms=30000');
      await world.sleep(15_000);
      await world.fault({ kind: 'crash', keepsCommits: false });
      await world.sleep(16_000);
      assert.deepEqual(await log(), [['alarm', 0, false, null]]);
    }),
  'runs other code after a deploy, with what was stored': () =>
    counting(
      async (world, counter) => {
        assert.equal(await counter.increment(), 1);
        await world.fault({ kind: 'deploy' });
        assert.equal(await counter.increment(), 11);
        await world.fault({ kind: 'deploy' });
        assert.equal(await counter.increment(), 12);
      },
      { entry: ['packages/simulation/test/worker/counter.ts', 'packages/simulation/test/worker/next.ts'] },
    ),
  'has a date that can jump, and time that cannot': () =>
    probing(async ({ world, get }) => {
      const before = (await get('now')) as number[];
      await world.fault({ kind: 'clock', side: 'object', ms: 3_600_000 });
      await world.sleep(10);
      const after = (await get('now')) as number[];
      assert.deepEqual([after[0] - before[0] >= 3_600_010, Math.round(after[1] - before[1])], [true, 10]);
      const date = world.as(0, () => Date.now());
      assert(date < after[0]);
    }),
};
