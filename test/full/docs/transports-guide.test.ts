import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { promisedOutput } from '../../support/code-blocks.ts';
import { DocumentCode } from '../../support/document-code.ts';
import { readWorker, serveWorker } from '../../support/workerd.ts';

/** What the guide uses of pages and of other runtimes: all of a page's types do not go together with those of Workers. */
const OTHER_RUNTIMES = `
interface Frame {
  postMessage(message: unknown, targetOrigin: string, transfer?: ArrayBuffer[]): void;
}
declare const window: { parent: Frame };
declare const document: {
  title: string;
  body: { innerText: string };
  querySelector(selectors: 'iframe'): { contentWindow: Frame | null } | null;
};
declare namespace Deno {
  function serve(handler: (request: Request) => Response | Promise<Response>): void;
  function upgradeWebSocket(request: Request, options: { protocol: string }): { socket: WebSocket; response: Response };
}
declare namespace Bun {
  interface ServerWebSocket<T> {
    data: T;
    send(data: string | Uint8Array): number;
    close(code?: number, reason?: string): void;
  }
  interface Server<T> {
    upgrade(request: Request, options: { data: T; headers: Record<string, string> }): boolean;
  }
  function serve<T>(options: {
    fetch(request: Request, server: Server<T>): Response | undefined;
    websocket: {
      open(socket: ServerWebSocket<T>): void;
      message(socket: ServerWebSocket<T>, message: string | Buffer): void;
      close(socket: ServerWebSocket<T>): void;
    };
  }): void;
}
`;

let code: DocumentCode;
beforeAll(async () => {
  code = await DocumentCode.of('docs/guides/transports.md');
});
afterAll(() => code[Symbol.asyncDispose]());

test('the code of the guide has no type errors', async () => {
  await code.write('other-runtimes.d.ts', OTHER_RUNTIMES);
  expect(await code.typeErrors({ types: ['@cloudflare/workers-types', 'node'] })).toBe('');
});

test.each(['threads.ts', 'sockets.ts', 'processes.ts'])('%s prints what it says', (name) =>
  printsWhatItSays(name, code.blocks.get(name)!),
);

test('the Worker serves sockets and POSTs, and calls its own object', async () => {
  await using worker = await serveWorker(await readWorker(join(code.folder, 'wrangler.toml')));
  const client = code.blocks.get('http-client.ts')!;
  await printsWhatItSays('http-client-here.ts', client.replaceAll('localhost:8787', `127.0.0.1:${worker.port}`));
  for (const count of [1, 2]) {
    const response = await fetch(`http://127.0.0.1:${worker.port}/count`);
    expect(await response.json()).toBe(count);
  }
});

async function printsWhatItSays(name: string, text: string): Promise<void> {
  const promised = promisedOutput(text);
  expect(promised.length).toBeGreaterThan(0);
  await code.write(name, text);
  expect(await code.run(name)).toEqual(promised);
}
