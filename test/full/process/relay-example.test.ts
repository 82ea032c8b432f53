import { join } from 'node:path';
import { connect, type Stub } from '@lumenize/rpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { below, leafOf } from '../../../examples/relay/src/tree.ts';
import type { Publisher, Reader } from '../../../examples/relay/src/worker.ts';
import { projectFolder } from '../../support/serve-counter.ts';
import { readWorker, type ServedWorker, serveWorker } from '../../support/workerd.ts';

let worker: ServedWorker;
beforeAll(async () => {
  worker = await serveWorker(await readWorker(join(projectFolder, 'examples/relay/wrangler.toml')));
}, 60_000);
afterAll(() => worker?.[Symbol.asyncDispose]());

const root = (): Stub<Publisher> => connect(worker.url('/rpc/relay/root'));

/** Reads so many events at a relay, with their numbers. */
async function heardAt(relay: string, count: number): Promise<string[]> {
  using reader = connect<Reader>(worker.url(`/rpc/relay/${relay}`));
  const heard: string[] = [];
  for await (const { sequence, event } of reader.news({ since: 0 })) {
    heard.push(`${sequence} ${event}`);
    if (heard.length === count) break;
  }
  return heard;
}

test('has nine leaves, and spreads users over them', () => {
  const relays = below('root');
  expect(relays).toEqual(['root.0', 'root.1', 'root.2']);
  expect(relays.flatMap(below)).toHaveLength(9);
  expect(below('root.0.0')).toEqual([]);
  const leaves = ['ada', 'bob', 'eve'].map(leafOf);
  expect(leaves).toEqual(['root.1.0', 'root.2.1', 'root.0.0']);
});

test('brings the events of the root to all leaves, each once, in order and with its number', {
  timeout: 30_000,
}, async () => {
  using editor = root();
  expect(await Promise.all([editor.publish('hello'), editor.publish('world')])).toEqual([1, 2]);
  const leaves = below('root').flatMap(below);
  for (const heard of await Promise.all(leaves.map((leaf) => heardAt(leaf, 2)))) {
    expect(heard).toEqual(['1 hello', '2 world']);
  }
  expect(await editor.publish('again')).toBe(3);
  expect(await heardAt('root.2.2', 3)).toEqual(['1 hello', '2 world', '3 again']);
});

test('lets nobody publish but at the root', async () => {
  using reader = connect<Publisher>(worker.url('/rpc/relay/root.0'));
  await expect(reader.publish('rumour')).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
});
