import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { askObserved } from '@lumenize/hosts/ask-observed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const asked: (string | undefined)[] = [];
const server = createServer(({ url }, response) => {
  asked.push(url);
  response.writeHead(url === '/observed/lives' ? 200 : 404).end('7');
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

describe('a request for measurements', () => {
  const ask = (what: 'evict' | 'lives') =>
    askObserved(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, what);

  it('returns the answer of the Worker', async () => {
    expect([await ask('lives'), asked.at(-1)]).toEqual(['7', '/observed/lives']);
  });

  it('throws if the Worker cannot do it', async () => {
    await expect(ask('evict')).rejects.toThrow('evict: 404 7');
  });
});
