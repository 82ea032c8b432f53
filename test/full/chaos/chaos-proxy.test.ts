import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { seededRandom } from '@lumenize/hosts/random';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChaosProxy } from '../../chaos/chaos-proxy.ts';
import { CALM, drawPlan, FAULTS, type Incident, type Plan } from '../../chaos/faults.ts';

const GREETING = 'hello, ';

describe('the chaos proxy', () => {
  let server: Server;
  /** Called with each connection that the server accepts. */
  let accepted: (socket: Socket) => void = () => {};

  beforeAll(async () => {
    // An echo.
    server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {}).pipe(socket);
      accepted(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const listen = (plan: Partial<Plan>) =>
    ChaosProxy.listen((server.address() as AddressInfo).port, 1, () => ({ ...CALM, ...plan }));

  const incident = (fault: Incident['fault'], others: Partial<Incident> = {}): Partial<Plan> => ({
    incidents: [{ fault, direction: 'up', both: false, chunk: 1, ...others }],
  });

  test('hands everything on, in order, however slow it is and in however small pieces', async () => {
    await using proxy = await listen({ maxDelayMs: 5, splits: 1 });
    const client = connect(proxy.port, '127.0.0.1').setNoDelay();
    const texts = Array.from({ length: 20 }, (_, index) => `message ${index}, `);
    for (const text of texts) client.write(text);
    client.end();
    expect(await textOf(client)).toBe(texts.join(''));
    expect(proxy.counts).toMatchObject({ delay: 1, split: expect.any(Number) });
    expect(proxy.counts.split).toBeGreaterThan(0);
  });

  test('refuses', async () => {
    await using proxy = await listen({ refused: true });
    const client = connect(proxy.port, '127.0.0.1');
    expect(await end(client)).toBe('ECONNRESET');
    expect(proxy.counts.refuse).toBe(1);
  });

  test.each(['cut', 'truncate'] as const)('resets both sides: %s', async (fault) => {
    await using proxy = await listen(incident(fault));
    const serverSide = nextAccepted();
    const client = connect(proxy.port, '127.0.0.1');
    const ended = end(client);
    await exchange(client, 'first');
    client.write('second');
    expect(await ended).toBe('ECONNRESET');
    const socket = await serverSide;
    await expect.poll(() => socket.closed).toBe(true);
    expect(proxy.counts[fault]).toBe(1);
  });

  test('ends one direction and leaves the other', async () => {
    await using proxy = await listen(incident('half-close', { direction: 'down' }));
    const serverSide = nextAccepted();
    const client = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
    await exchange(client, 'first');
    client.write('second');
    await once(client.resume(), 'end');
    client.write('third');
    const [text] = await once(await serverSide, 'data', {});
    expect(String(text)).toContain('third');
    client.destroy();
  });

  test('lets nothing through and tells nobody, until it is disposed of', async () => {
    const proxy = await listen(incident('stall', { both: true }));
    const serverSide = nextAccepted();
    const client = connect(proxy.port, '127.0.0.1');
    await exchange(client, 'first');
    const socket = await serverSide;
    let heard = 0;
    for (const side of [client, socket]) side.on('data', () => heard++).on('end', () => heard++);
    client.write('second');
    socket.write('unasked');
    await expect.poll(() => proxy.counts.stall).toBe(1);
    // Over another connection everything goes on, and takes longer than what is held would have.
    const other = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await exchange(other, 'other');
    other.destroy();
    expect(heard).toBe(0);
    const ended = end(client);
    await proxy[Symbol.asyncDispose]();
    expect(await ended).toBe('ECONNRESET');
  });

  test('goes on after a pause with what was held', async () => {
    await using proxy = await listen(incident('pause'));
    const client = connect(proxy.port, '127.0.0.1');
    await exchange(client, 'first');
    await exchange(client, 'second');
    expect(proxy.counts.pause).toBe(1);
    client.destroy();
  });

  test('sends the server all that came before a second time, and nobody the answers', async () => {
    await using proxy = await listen(incident('replay'));
    const client = connect(proxy.port, '127.0.0.1');
    await exchange(client, GREETING);
    const second = nextAccepted();
    const answer = exchange(client, 'call');
    const [replayed] = await once(await second, 'data');
    expect(String(replayed)).toBe(`${GREETING}call`);
    await answer;
    client.destroy();
  });

  test('does nothing when it is calm', async () => {
    await using proxy = await listen({ refused: true, ...incident('cut', { chunk: 0 }) });
    proxy.calm();
    const client = connect(proxy.port, '127.0.0.1');
    await exchange(client, 'first');
    client.destroy();
    expect(Object.values(proxy.counts).every((count) => count === 0)).toBe(true);
  });

  test('draws the same for the same seed, and every fault by and by', () => {
    const draw = (seed: number) => drawPlan(seededRandom(seed), FAULTS);
    expect(draw(7)).toEqual(draw(7));
    const plans = Array.from({ length: 500 }, (_, seed) => draw(seed));
    expect(new Set(plans.flatMap(({ incidents }) => incidents.map(({ fault }) => fault))).size).toBe(6);
    expect(plans.some(({ refused }) => refused)).toBe(true);
    expect(plans.some(({ incidents }) => incidents[0].chunk === 0)).toBe(true);
  });

  function nextAccepted(): Promise<Socket> {
    return new Promise((resolve) => {
      accepted = resolve;
    });
  }
});

/** Sends a text and waits for its echo. */
async function exchange(client: Socket, text: string): Promise<void> {
  client.write(text);
  let heard = '';
  while (heard !== text) heard += (await once(client, 'data'))[0];
}

async function textOf(client: Socket): Promise<string> {
  let text = '';
  for await (const chunk of client) text += chunk;
  return text;
}

/** How a connection ended: the code of its error, or that it was none. */
async function end(client: Socket): Promise<string> {
  let code = 'no error';
  client.on('error', (error: NodeJS.ErrnoException) => {
    code = error.code!;
  });
  await once(client.resume(), 'close').catch(() => {});
  return code;
}
