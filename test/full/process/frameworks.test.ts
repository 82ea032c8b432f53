import { on, once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Stub } from '@lumenize/rpc';
import { connectHttp } from '@lumenize/rpc/http';
import { connectSocket } from '@lumenize/rpc/socket';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { NotesApi } from '../../../examples/hono/src/notes.ts';
import type { RoomApi } from '../../../examples/partyserver/src/room.ts';
import { codeBlocks } from '../../support/code-blocks.ts';
import { projectFolder } from '../../support/serve-counter.ts';
import { EVICT, serveEvictable } from '../../support/serve-evictable.ts';
import { readWorker, type ServedWorker } from '../../support/workerd.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lumenize-frameworks-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the guide shows the examples as they are', async () => {
  const blocks = codeBlocks(await readFile(join(projectFolder, 'docs/guides/frameworks.md'), 'utf8'));
  // Components of Vue, Svelte and Solid are tested with the guides.
  const examples = [...blocks].filter(([name]) => !/^(?:vue|svelte|solid)\//.test(name));
  expect(examples.length).toBeGreaterThan(0);
  for (const [name, code] of examples) {
    expect(code).toBe(`// ${name}\n${await readFile(join(projectFolder, name), 'utf8')}`);
  }
});

async function serveExample(name: string): Promise<ServedWorker> {
  return serveEvictable(await readWorker(join(projectFolder, 'examples', name, 'wrangler.toml')), folder);
}

describe('a Worker of Hono', () => {
  let worker: ServedWorker;
  beforeAll(async () => {
    worker = await serveExample('hono');
  }, 60_000);
  afterAll(() => worker?.[Symbol.asyncDispose]());

  const cookie = { Cookie: 'session=session-of-ada' };
  const http = (path: string) => `http://127.0.0.1:${worker.port}${path}`;

  test('leads sockets to objects, for who is known by a cookie', async () => {
    const url = worker.url('/rpc/notes/sockets');
    using notes = connectSocket<NotesApi>((protocols) => new WebSocket(url, protocols, { headers: cookie }));
    expect(await notes.add('by a socket')).toBe(1);
    expect(await notes.all()).toEqual(['ada: by a socket']);
  });

  test('leads batches to objects, for who is known by a cookie', async () => {
    using notes = connectHttp<NotesApi>(http('/rpc/notes/batches'), { headers: cookie });
    expect(await notes.add('by a POST')).toBe(1);
  });

  test('knows programs by their token', async () => {
    using notes = connect<NotesApi>(worker.url('/rpc/notes/tokens'), { token: 'session-of-ada' });
    await notes.add('by a token');
    expect(await notes.all()).toEqual(['ada: by a token']);
  });

  test('refuses strangers, and says so', async () => {
    using notes = connect<NotesApi>(worker.url('/rpc/notes/sockets'));
    await expect(notes.all()).rejects.toMatchObject({ code: 'DENIED' });
  });

  test('answers all else as before', async () => {
    expect(await (await fetch(http('/'), { headers: cookie })).text()).toBe('Hello, ada');
    expect((await fetch(http('/nothing'))).status).toBe(404);
  });
});

describe('a server of partyserver', () => {
  let worker: ServedWorker;
  beforeAll(async () => {
    worker = await serveExample('partyserver');
  }, 60_000);
  afterAll(() => worker?.[Symbol.asyncDispose]());

  const room = (name: string): Stub<RoomApi> => connect(worker.url(`/rpc/room/${name}`), { token: 'ada' });

  async function party(name: string): Promise<{ socket: WebSocket; heard: () => Promise<string> }> {
    const socket = new WebSocket(worker.url(`/parties/room/${name}`));
    const messages = on(socket, 'message');
    await once(socket, 'open');
    return { socket, heard: async () => `${(await messages.next()).value?.[0]}` };
  }

  test('is called over sockets of ours, beside its own', async () => {
    const { socket, heard } = await party('both');
    using ada = room('both');
    const messages = await ada.messages();
    expect(await ada.listeners()).toBe(1);
    expect(await ada.say('by RPC')).toBe(1);
    expect(await heard()).toBe('ada: by RPC');
    expect((await messages.next()).value?.event).toBe('ada: by RPC');
    socket.send('by a socket of partyserver');
    expect(await heard()).toBe('by a socket of partyserver');
    expect((await messages.next()).value?.event).toBe('by a socket of partyserver');
    // Which the runtime answers, for RPC.
    socket.send('ping');
    expect(await heard()).toBe('pong');
    socket.close();
  });

  test('has started before the first call', async () => {
    using ada = room('lobby');
    expect(await ada.greeting()).toBe('Welcome to lobby');
  });

  test('hibernates with sockets of both kinds, and goes on', async () => {
    const { socket, heard } = await party('asleep');
    using ada = room('asleep');
    const messages = await ada.messages();
    const hibernate = () => fetch(`http://127.0.0.1:${worker.port}${EVICT}`).then(({ ok }) => expect(ok).toBe(true));
    await hibernate();
    socket.send('who wakes it');
    expect((await messages.next()).value?.event).toBe('who wakes it');
    expect(await heard()).toBe('who wakes it');
    await hibernate();
    expect(await ada.greeting()).toBe('Welcome to asleep');
    expect(await ada.listeners()).toBe(1);
    expect(await ada.say('I do')).toBe(2);
    expect(await heard()).toBe('ada: I do');
    socket.close();
  });
});
