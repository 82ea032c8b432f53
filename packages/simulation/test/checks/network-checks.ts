import assert from 'node:assert/strict';
import { type Checks, counting, probing } from './probing.ts';

/** What the simulated network does. */
export const NETWORK_CHECKS: Checks = {
  'delivers no part of a frame that was cut': () =>
    probing(async ({ world, log, socket }) => {
      const { send, told } = await socket(0);
      // A frame of 12 bytes has a header of 2, and a mask of 4: the second one lacks a byte.
      await world.fault({ kind: 'cut', client: 0, direction: 'up', afterBytes: 35 });
      send('echo of twel');
      send('echo of twel');
      send('echo of twel');
      await world.sleep(2000);
      const messages = (await log()).filter((each) => (each as unknown[])[0] === 'message');
      assert.equal(messages.length, 1);
      assert.equal(told.at(-1), 1006);
    }),
  'says nothing to either side of a direction that is frozen, and delivers later': () =>
    probing(async ({ world, log, socket }) => {
      const { send, told } = await socket(0);
      await world.fault({ kind: 'freeze', client: 0, direction: 'down', ms: 60_000 });
      send('echo hello');
      await world.sleep(30_000);
      assert.deepEqual(told, []);
      assert.equal((await log()).length, 0, 'it has left memory meanwhile');
      await world.sleep(31_000);
      assert.deepEqual(told, ['hello']);
    }),
  'delays one direction, in order': () =>
    probing(async ({ world, socket }) => {
      const { send, told } = await socket(0);
      await world.fault({ kind: 'delay', client: 0, direction: 'up', ms: 1000 });
      send('echo 1');
      await world.fault({ kind: 'delay', client: 0, direction: 'up', ms: 0 });
      send('echo 2');
      await world.sleep(900);
      assert.deepEqual(told, []);
      await world.sleep(200);
      assert.deepEqual(told, ['1', '2']);
    }),
  'delivers an upgrade twice': () =>
    probing(async ({ world, get, socket }) => {
      await world.fault({ kind: 'upgrade', client: 0, how: 'twice' });
      await socket(0);
      await world.sleep(1000);
      assert.deepEqual(await get('count'), [1, 1]);
      await world.sleep(10_000);
      assert.deepEqual(await get('count'), [1]);
    }),
  'delivers an upgrade after the one that follows it': () =>
    probing(async ({ world, get, socket }) => {
      await world.fault({ kind: 'upgrade', client: 0, how: 'late' });
      const late = socket(0, 'socket?tag=late');
      await world.sleep(1000);
      await socket(0, 'socket?tag=next');
      await late;
      assert.deepEqual(((await get('tags')) as unknown[])[2], [['late'], ['next']]);
    }),
  'loses a reader that is slow nothing': () =>
    probing(async ({ world, socket }) => {
      const { send, told } = await socket(0);
      await world.fault({ kind: 'slow', client: 0, ms: 5000 });
      for (let i = 0; i < 50; i++) send(`echo ${i}`);
      await world.sleep(4000);
      assert.equal(told.length, 0);
      await world.sleep(2000);
      assert.equal(told.length, 50);
    }),
  'closes a socket by application code, with any code': async () => {
    for (const code of [1000, 1011, 3000, 4403]) {
      await probing(async ({ world, log, socket }) => {
        const { told } = await socket(0);
        await world.fault({ kind: 'close', client: 0, code });
        await world.sleep(500);
        assert.deepEqual(told, [code]);
        assert.deepEqual((await log())[0], ['webSocketClose', code, 'closed by the application', true]);
      });
    }
  },
  'takes a network away, and tells pages when it goes and comes': () =>
    counting(async (world, counter) => {
      const inNode = world.connect(1) as typeof counter;
      await Promise.all([world.as(0, () => counter.increment()), world.as(1, () => inNode.increment())]);
      for (const client of [0, 1]) await world.fault({ kind: 'offline', client, ms: 5000 });
      const late = world.as(0, () => counter.increment());
      await world.sleep(4000);
      assert.equal(world.trace.filter((line) => /^client0 offline/.test(line.slice(line.indexOf(' ') + 1))).length, 1);
      assert.equal(await late, 3);
      assert(world.now() > 5000);
      assert.equal(await world.as(1, () => inNode.increment()), 4);
    }),
  'lets a machine sleep: its date goes on, and its timers do not': () =>
    counting(async (world, counter) => {
      await world.as(0, () => counter.increment());
      const clocks = () => world.as(0, () => [Date.now(), performance.now()]);
      const before = clocks();
      await world.fault({ kind: 'sleep', client: 0, ms: 60_000 });
      const late = world.as(0, () => counter.increment());
      await world.sleep(30_000);
      assert.deepEqual([clocks()[0] - before[0], clocks()[1] - before[1]], [30_000, 0]);
      assert(!world.trace.some((line) => /client0 timer/.test(line) && Number(line.split(' ')[0]) > 100));
      assert.equal(await late, 2);
      assert(clocks()[1] - before[1] < 10_000);
    }),
  'ends a page that is loaded again, with its timers': () =>
    probing(async ({ world, get, socket }) => {
      await socket(0);
      await world.fault({ kind: 'reload', client: 0 });
      await world.sleep(2000);
      assert.deepEqual(await get('count'), []);
    }),
  'tells the page that is there that the network is back, and not the one that was left': () =>
    probing(async ({ world }) => {
      await world.fault({ kind: 'offline', client: 0, ms: 5000 });
      await world.fault({ kind: 'reload', client: 0 });
      await world.sleep(6000);
      const told = world.trace.map((line) => line.slice(line.indexOf(' ') + 1)).filter((line) => / online/.test(line));
      assert.deepEqual(told, ['client0+1 online']);
    }),
};
