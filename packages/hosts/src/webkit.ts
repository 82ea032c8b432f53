import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserHost, BrowserPage } from './browser-page.ts';
import { GuardedProcess } from './guarded-process.ts';
import { findOnPath } from './on-path.ts';
import { untilAnswering } from './running-server.ts';

const START_TIMEOUT_MS = 60_000;
/** Longer than any script in a page takes. The code that runs a script sets its own time limit. */
const SCRIPT_TIMEOUT_MS = 600_000;

/** WebKitGTK's browser, controlled over WebDriver (https://www.w3.org/TR/webdriver2/), on an Xvfb screen. */
export const WEBKIT: BrowserHost = {
  name: 'WebKitGTK',
  missing: () =>
    findOnPath('WebKitWebDriver') && findOnPath('Xvfb')
      ? undefined
      : 'no WebKitWebDriver and Xvfb on PATH; Debian has them as webkit2gtk-driver and xvfb',
  open: openWebKit,
};

async function openWebKit(): Promise<BrowserPage> {
  await using started = new AsyncDisposableStack();
  const start = async (command: string, args: string[], env?: NodeJS.ProcessEnv) => {
    const folder = await mkdtemp(join(tmpdir(), 'lumenize-webkit-'));
    return started.adopt(new GuardedProcess(folder, findOnPath(command)!, args, { env }), (each) => each.stop());
  };
  // Xvfb reports the display that it chose on the descriptor.
  const screen = await start('Xvfb', ['-displayfd', '3', '-nolisten', 'tcp']);
  const [, display] = await screen.find(/^(\d+)$/m, START_TIMEOUT_MS);
  const port = await freePort();
  // In the locale C, WebKit's default language is one that `Intl` refuses.
  const env = { ...process.env, DISPLAY: `:${display}`, LC_ALL: 'en_US.UTF-8' };
  await start('WebKitWebDriver', [`--port=${port}`], env);
  const driver = `http://127.0.0.1:${port}`;
  await untilAnswering(driver, START_TIMEOUT_MS);
  const { sessionId, capabilities } = await post<Session>(`${driver}/session`, {
    capabilities: { alwaysMatch: { timeouts: { script: SCRIPT_TIMEOUT_MS } } },
  });
  const session = `${driver}/session/${sessionId}`;
  const processes = started.move();
  return {
    version: capabilities.browserVersion,
    goto: (url) => post(`${session}/url`, { url }),
    async evaluate(expression) {
      const { text, error } = await post<{ text: string; error?: string }>(`${session}/execute/async`, {
        script: `(async () => JSON.stringify({ value: await (${expression}) }))().then(
          (text) => arguments[0]({ text }), (error) => arguments[0]({ error: String(error) }))`,
        args: [],
      });
      if (error !== undefined) throw new Error(error);
      return JSON.parse(text).value;
    },
    [Symbol.asyncDispose]: () => processes.disposeAsync(),
  };
}

interface Session {
  readonly sessionId: string;
  readonly capabilities: { readonly browserVersion: string };
}

async function post<T>(url: string, body: object): Promise<T> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const { value } = (await response.json()) as { value: T & { message?: string } };
  if (!response.ok) throw new Error(`${response.status} ${value.message}`);
  return value;
}

/** Returns a port that is not in use. WebKitWebDriver cannot choose one itself, as it does not report it. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
