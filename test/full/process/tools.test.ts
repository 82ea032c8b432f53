import { join } from 'node:path';
import { connect } from '@lumenize/rpc';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KeeperApi } from '../../../examples/tools/src/shop.ts';
import { projectFolder } from '../../support/serve-counter.ts';
import { readWorker, type ServedWorker, serveWorker } from '../../support/workerd.ts';

let worker: ServedWorker;
beforeAll(async () => {
  worker = await serveWorker(await readWorker(join(projectFolder, 'examples/tools/wrangler.toml')));
}, 60_000);
afterAll(() => worker?.[Symbol.asyncDispose]());

const http = (path: string) => new URL(`http://127.0.0.1:${worker.port}${path}`);
const shown = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

describe('a language model, by the SDK of the Model Context Protocol', () => {
  async function connectModel(shop: string, token: string) {
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(http(`/mcp/shop/${shop}`), { requestInit: shown(token) }));
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
  }

  test('finds the methods that its caller may call, with their schemas', async () => {
    await using ada = await connectModel('listed', 'token-of-ada');
    await using eve = await connectModel('listed', 'token-of-eve');
    const { tools } = await ada.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['order', 'restock', 'stock']);
    expect((await eve.listTools()).tools.map(({ name }) => name).sort()).toEqual(['order', 'stock']);
    const order = tools.find(({ name }) => name === 'order')!;
    expect(order).toMatchObject({
      description: 'Takes some of a product out of the shop, and tells how many are left',
      annotations: { readOnlyHint: false },
      inputSchema: {
        type: 'object',
        required: ['product'],
        properties: {
          product: { type: 'string', minLength: 1, description: 'Name of a product' },
          count: { type: 'integer', minimum: 1, default: 1 },
        },
      },
    });
    expect(tools.find(({ name }) => name === 'stock')!.annotations).toEqual({ readOnlyHint: true });
  });

  test('calls the object that all others call', async () => {
    await using model = await connectModel('called', 'token-of-ada');
    using page = connect<KeeperApi>(worker.url('/rpc/shop/called'), { token: 'token-of-ada' });
    expect(await page.restock({ product: 'lamp', count: 5 })).toEqual({ left: 5 });
    const ordered = await model.callTool({ name: 'order', arguments: { product: 'lamp', count: 2 } });
    expect(ordered).toMatchObject({ content: [{ type: 'text', text: '{"left":3}' }] });
    // The schema has filled in that it is one.
    await model.callTool({ name: 'order', arguments: { product: 'lamp' } });
    expect(await page.stock({ product: 'lamp' })).toBe(2);
  });

  test('is told what was wrong, by schema and by method', async () => {
    await using model = await connectModel('refused', 'token-of-ada');
    const wrong = await model.callTool({ name: 'order', arguments: { product: 'lamp', count: -1 } });
    expect(wrong.isError).toBe(true);
    const thrown = await model.callTool({ name: 'order', arguments: { product: 'lamp', count: 1 } });
    expect(thrown).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('not that many of lamp') }],
    });
  });

  test('cannot call what its caller may not', async () => {
    await using model = await connectModel('closed', 'token-of-eve');
    const input = { name: 'restock', arguments: { product: 'lamp', count: 1 } };
    const outcome = await model.callTool(input).then(
      ({ isError }) => isError,
      () => true,
    );
    expect(outcome).toBe(true);
    using page = connect<KeeperApi>(worker.url('/rpc/shop/closed'), { token: 'token-of-eve' });
    expect(await page.stock({ product: 'lamp' })).toBe(0);
    await expect(connectModel('closed', 'token-of-nobody')).rejects.toThrow();
  });
});

describe('what reads OpenAPI', () => {
  const post = (path: string, token: string, body: object) =>
    fetch(http(path), { method: 'POST', body: JSON.stringify(body), ...shown(token) });

  test('finds a path for each method that its caller may call', async () => {
    const document = await (await fetch(http('/api/shop/api'), shown('token-of-eve'))).json();
    expect(Object.keys(document.paths).sort()).toEqual(['/order', '/stock']);
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: http('/api/shop/api').href }] });
    expect(document.paths['/stock'].post).toMatchObject({
      operationId: 'stock',
      requestBody: { content: { 'application/json': { schema: { type: 'object', required: ['product'] } } } },
    });
  });

  test('calls them there', async () => {
    expect(await (await post('/api/shop/api/restock', 'token-of-ada', { product: 'cup', count: 4 })).json()).toEqual({
      left: 4,
    });
    expect(await (await post('/api/shop/api/stock', 'token-of-eve', { product: 'cup' })).json()).toBe(4);
    expect((await post('/api/shop/api/restock', 'token-of-eve', { product: 'cup' })).status).toBe(404);
    const wrong = await post('/api/shop/api/stock', 'token-of-eve', { product: '' });
    expect([wrong.status, (await wrong.json()).code]).toEqual([400, 'INVALID_ARGUMENTS']);
    expect((await fetch(http('/api/shop/api'))).status).toBe(401);
  });
});
