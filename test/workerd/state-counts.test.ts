import { change } from '@lumenize/state';
import { expect, inject, test } from 'vitest';
import { createRandom } from '../../packages/structured-clone/test/fuzz/random.ts';
import type { Step } from './state-object.ts';
import { type Client, client, evict, expectInStep, inside, live } from './state-support.ts';

const { seed, runs } = (inject as (key: string) => { seed: number; runs: number })('fuzz');
const ROUNDS = 12;
const CLIENTS = 3;

/**
 * Each client counts in a record that nobody else changes: so what it shows is the number of its calls, at each moment.
 * One that is missing would be a change that is not shown any more, and one too many a change that is shown twice.
 */
test.each(Array.from({ length: Math.ceil(runs / 100) }, (_, run) => run))(
  `whatever breaks, each store shows all that it was told to expect, once (${seed} + %s)`,
  { timeout: 120_000 },
  async (run) => {
    const name = `counts-${seed}-${run}`;
    const { below } = createRandom(seed, run);
    const ids = Array.from({ length: CLIENTS }, (_, at) => `count-${at}`);
    await inside(name, ...ids.map((id) => ({ put: { id, title: '', count: 0 } })));
    const counters = ids.map((id) => new Counter(client(name), id));
    await Promise.all(counters.map(({ client }) => live(client.store)));
    // From the first call of a method on, the object knows that it is exactly-once.
    await Promise.all(counters.map((each) => each.add()));
    for (let round = 0; round < ROUNDS; round++) {
      const calls: PromiseLike<unknown>[] = [];
      // A frame that is lost three times is not sent again, and nobody knows what has become of its calls.
      let cuts = 2;
      for (let step = below(12); step >= 0; step--) {
        const counter = counters[below(CLIENTS)];
        const { network } = counter.client;
        const action = below(10);
        if (action < 5) calls.push(counter.add());
        else if (action === 5) calls.push(inside(name, { patch: ids[below(CLIENTS)], fields: { title: `${step}` } }));
        else if (action === 6) await evict(name).catch(() => {});
        else if (action === 7) await undefined;
        else if (cuts-- > 0) {
          if (action === 8) network.cut();
          else network.cutDuring(below(2) === 0 ? 'up' : 'down');
        }
      }
      await Promise.all(calls);
    }
    await expectInStep(name, ...counters.map(({ client }) => client.store));
    expect(counters.flatMap(({ wrong }) => wrong)).toEqual([]);
    for (const { client, id, made, isCertain } of counters) {
      if (isCertain) expect(client.store.get('cards', id)?.count).toBe(made);
    }
    for (const { client } of counters) client[Symbol.dispose]();
  },
);

class Counter {
  made = 0;
  /** False once nobody knows whether a call has run: one that was made just after its object had started, for example. */
  isCertain = true;
  readonly wrong: string[] = [];
  readonly client: Client;
  readonly id: string;
  readonly #add: (step: Step) => PromiseLike<unknown>;

  constructor(its: Client, id: string) {
    this.client = its;
    this.id = id;
    const { store, stub } = its;
    this.#add = change(store, stub.take as (step: Step) => PromiseLike<void>, (state) => {
      const count = state.get('cards', id)?.count;
      if (count !== undefined) state.patch('cards', id, { count: count + 1 });
    });
    store.subscribe(() => {
      const count = store.get('cards', id)?.count;
      if (store.unsaved.length > 0) this.isCertain = false;
      if (this.isCertain && count !== undefined && count !== this.made)
        this.wrong.push(`${id} shows ${count} of ${this.made}`);
    });
  }

  add(): PromiseLike<unknown> {
    this.made++;
    return this.#add({ add: this.id, by: 1 }).then(undefined, (error) => {
      if (error.code !== 'OUTCOME_UNKNOWN') throw error;
    });
  }
}
