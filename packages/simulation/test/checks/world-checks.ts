import assert from 'node:assert/strict';
import type { Stub } from '@lumenize/rpc';
import { loadLibrary } from '../../src/loading/library.ts';
import { SimulatedFinalizationRegistry } from '../../src/scheduler/collection.ts';
import { Random } from '../../src/scheduler/random.ts';
import type { CounterApi } from '../worker/counter.ts';
import { type Checks, counting, probing } from './probing.ts';

/** What worlds do beside. */
export const WORLD_CHECKS: Checks = {
  'fails a run that waits for what cannot come': async () => {
    await assert.rejects(
      probing(() => new Promise(() => {})),
      /nothing is left to do in this world/,
    );
  },
  'notes what nobody handles, with where that was': () =>
    probing(async ({ world, get }) => {
      await get('reject');
      await world.sleep(1);
      void Promise.reject(new Error('of the program'));
      await world.sleep(1);
      assert.deepEqual(world.unhandled, ['Probe/probe#1: "Error: told to"', 'program: "Error: of the program"']);
    }),
  'carries calls by HTTP, and says what a lost answer means': () =>
    counting(async (world) => {
      const counter = world.connect(1, {}, 'http') as Stub<CounterApi>;
      assert.deepEqual(await Promise.all([counter.increment(), counter.increment(), counter.value()]), [1, 2, 2]);
      const slow = counter.slow(100).catch((error) => error.code);
      await world.sleep(60);
      await world.fault({ kind: 'cut', client: 1 });
      assert.equal(await slow, 'OUTCOME_UNKNOWN');
      assert.equal(await counter.value(), 2);
    }),
  'reads bodies and blobs while it stands still': () =>
    counting(async (world, counter) => {
      const echo = (value: unknown) => world.as(0, () => counter.echo(value) as Promise<Blob & Response>);
      const texts = await Promise.all([
        echo(new Blob(['one'])),
        echo(new Response('two')),
        echo(new Request('https://x.test', { method: 'POST', body: 'three' })),
      ]);
      assert.deepEqual(await Promise.all(texts.map((each) => each.text())), ['one', 'two', 'three']);
    }),
  'collects what nobody can reach, when it is told to': () =>
    counting(async (world, counter) => {
      let seen = 0;
      const watch = (): void => {
        const registry = new SimulatedFinalizationRegistry<number>((held) => {
          seen += held;
        });
        registry.register({}, 7);
      };
      watch();
      await counter.increment();
      await world.sleep(1000);
      assert.equal(seen, 0);
      await world.fault({ kind: 'collect' });
      await world.sleep(1000);
      assert.equal(seen, 7);
    }),
  'draws for one purpose what it would draw without any other': async () => {
    const alone = new Random(5);
    const both = new Random(5);
    const drawn = [1, 2, 3].map(() => alone.bits('a'));
    assert.deepEqual(
      [1, 2, 3].map(() => both.bits('b') && both.bits('a')),
      drawn,
    );
    assert.notDeepEqual(
      [1, 2, 3].map(() => new Random(6).bits('a')),
      drawn,
    );
  },
  'plants a defect in the library, on the sides that load it': async () => {
    const library = await loadLibrary({
      mutant: [
        {
          file: 'packages/rpc/src/server/stored-results.ts',
          find: 'export interface StoredResultsOptions',
          replace: 'globalThis.planted = true; export interface StoredResultsOptions',
        },
      ],
    });
    await counting(async (_world, counter) => assert.equal(await counter.increment(), 1), { library });
    assert.throws(
      () => void loadLibrary({ mutant: [{ file: 'packages/rpc/src/index.ts', find: 'nowhere', replace: '' }] }),
      /is there 0 times/,
    );
  },
};
