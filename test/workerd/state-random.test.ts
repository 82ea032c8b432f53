import { runInDurableObject } from 'cloudflare:test';
import { change } from '@lumenize/state';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Step } from './state-object.ts';
import { type Client, client, evict, expectInStep, inside, stateObject } from './state-support.ts';

const { seed, runs: wanted } = (inject as (key: string) => { seed: number; runs: number })('fuzz');
/** A run takes a quarter of a second. */
const RUNS = wanted / 25;
const CLIENTS = 4;

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const value = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom('todo', 'doing', 'done', '{"$":1}', '$x', '__proto__'),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    put: fc
      .record({ title: value, column: value, tags: fc.array(value, { maxLength: 3 }) }, { requiredKeys: ['title'] })
      .chain((card) => id.map((id) => ({ ...card, id }))),
  }),
  fc.record({ note: id.chain((id) => value.map((text) => ({ id, text }))) }),
  fc.record({ add: id, by: fc.integer({ min: -3, max: 3 }) }),
  fc.record({ push: id, tag: value }),
  fc.record({
    patch: id,
    fields: fc.oneof(
      fc.record({ column: value }),
      fc.constant({ column: undefined }),
      fc.record({ at: fc.date({ noInvalidDate: true }) }),
      fc.record({ bytes: fc.uint8Array({ maxLength: 8 }) }),
    ),
  }),
  fc.record({ delete: id }),
) as fc.Arbitrary<Step>;

/** What happens: a client calls, or something breaks. */
type Happening =
  | { readonly calls: number; readonly steps: readonly Step[]; readonly fails: boolean }
  | { readonly inside: readonly Step[] }
  | { readonly cut: number; readonly during: 'up' | 'down' | undefined }
  | { readonly evict: 'hibernate' | 'close' }
  | { readonly wipe: true }
  | { readonly settle: true };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      calls: fc.nat(CLIENTS - 1),
      steps: fc.array(step, { minLength: 1, maxLength: 3 }),
      fails: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ inside: fc.array(step, { minLength: 1, maxLength: 4 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      cut: fc.nat(CLIENTS - 1),
      during: fc.constantFrom('up' as const, 'down' as const, undefined),
    }),
  },
  { weight: 1, arbitrary: fc.record({ evict: fc.constantFrom('hibernate' as const, 'close' as const) }) },
  { weight: 1, arbitrary: fc.constant({ wipe: true } as const) },
  { weight: 2, arbitrary: fc.constant({ settle: true } as const) },
);

let runs = 0;

test('whatever happens, all who follow have what the object has, byte by byte', {
  timeout: RUNS * 30_000,
}, async () => {
  const run = fc.asyncProperty(fc.array(happening, { minLength: 5, maxLength: 40 }), async (happenings) => {
    const name = `random-${runs++}`;
    const clients = Array.from({ length: CLIENTS }, () => client(name));
    const calls: Promise<unknown>[] = [];
    for (const happening of happenings) await happen(name, happening, clients, calls);
    await Promise.all(calls);
    await expectInStep(name, ...clients.map(({ store }) => store));
    for (const { store } of clients) expect(store.isPending()).toBe(false);
    for (const each of clients) each[Symbol.dispose]();
  });
  await fc.assert(run, { numRuns: RUNS, seed, endOnFailure: false });
});

async function happen(name: string, it: Happening, clients: readonly Client[], calls: Promise<unknown>[]) {
  if ('calls' in it) {
    const { stub, store } = clients[it.calls];
    const method = it.fails ? stub.fail : stub.take;
    const take = change(store, method as (...steps: Step[]) => PromiseLike<void>, (state, ...steps: Step[]) => {
      for (const step of steps) {
        if ('put' in step) state.put('cards', step.put);
        else if ('patch' in step) state.patch('cards', step.patch, step.fields);
        else if ('delete' in step) state.delete('cards', step.delete);
      }
    });
    // Steps on records that are not there fail, too.
    calls.push(Promise.resolve(take(...it.steps)).catch(() => {}));
  } else if ('inside' in it) await inside(name, ...it.inside).catch(() => {});
  else if ('cut' in it) {
    const { network } = clients[it.cut];
    if (it.during === undefined) network.cut();
    else network.cutDuring(it.during);
  } else if ('evict' in it) {
    await runInDurableObject(stateObject(name), () => {});
    await evict(name, it.evict).catch(() => {});
  } else if ('wipe' in it) {
    await runInDurableObject(stateObject(name), async ({ storage, state }) => {
      await storage.deleteAll();
      state.reload();
    });
  } else await clients[0].stub.all().catch(() => {});
}
