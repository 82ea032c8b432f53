import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { evict, publish, take, ticker, tickerObject } from './topics-support.ts';

const EXTREMES = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e18, 0.5, '5', true, null, [], {}, () => 5, 5n];
const PLACES = ['retain', 'everyEvents', 'everyMs'] as const;

test.each(PLACES)('a topic whose %s is extreme works, or is refused before anything is stored', async (place) => {
  for (const [index, value] of EXTREMES.entries()) {
    const name = `${place} ${index}`;
    const options = (place === 'retain' ? { retain: value } : { persist: { [place]: value } }) as object;
    const refused = await runInDurableObject(tickerObject(name), (object) => {
      try {
        object.declared('extreme', options).publish(1);
        return undefined;
      } catch (error) {
        const tables = object.storage.sql
          .exec("SELECT * FROM sqlite_master WHERE name LIKE 'lumenize_rpc_ev%'")
          .toArray();
        return [error instanceof TypeError, (error as Error).message.split(' ', 2).join(' '), tables];
      }
    });
    if (refused !== undefined) expect(refused, String(value)).toEqual([true, `${place} needs`, []]);
    else expect(place === 'retain' && value === 0, `${String(value)} is taken for ${place}`).toBe(true);
    // The topic can be used by whoever declares it as it should be.
    await publish(name, 'extreme', 2);
    await evict(name);
    using stub = ticker(name);
    expect(await take(await stub.subscribeTo('extreme', { since: 0 }), 1)).toMatchObject([
      { sequence: refused ? 1 : 2 },
    ]);
  }
});

test.each([[5], ['x'], [true], [() => {}]])('a topic whose persist is %s is refused', async (persist) => {
  await runInDurableObject(tickerObject('persist'), (object) => {
    expect(() => object.declared('extreme', { persist: persist as object })).toThrow('persist needs');
  });
});
