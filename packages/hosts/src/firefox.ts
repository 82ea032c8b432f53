import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserHost, BrowserPage } from './browser-page.ts';
import { GuardedProcess } from './guarded-process.ts';
import { findOnPath } from './on-path.ts';

const START_TIMEOUT_MS = 60_000;

/** A page in Firefox, with the warnings and errors from its console. */
export interface FirefoxPage extends BrowserPage {
  readonly complaints: readonly string[];
}

/**
 * Firefox from `FIREFOX_PATH` or `PATH`, controlled over its built-in WebDriver BiDi
 * (https://www.w3.org/TR/webdriver-bidi/).
 */
export const FIREFOX = {
  name: 'Firefox',
  missing: () => (findFirefox() ? undefined : 'no Firefox on PATH; install one or set FIREFOX_PATH'),
  open: openFirefox,
} satisfies BrowserHost;

function findFirefox(): string | undefined {
  return process.env.FIREFOX_PATH || findOnPath('firefox-esr', 'firefox');
}

async function openFirefox(): Promise<FirefoxPage> {
  const profile = await mkdtemp(join(tmpdir(), 'lumenize-firefox-'));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'];
  const browser = new GuardedProcess(profile, findFirefox()!, args);
  const [, address] = await browser.find(/WebDriver BiDi listening on (ws:\S+)/, START_TIMEOUT_MS);
  const complaints: string[] = [];
  const command = await openSession(`${address}/session`, ({ method, params }) => {
    const { level, text } = params as { level: string; text: string };
    if (method === 'log.entryAdded' && ['warn', 'error'].includes(level)) complaints.push(text);
  });
  const { capabilities } = await command<{ capabilities: { browserVersion: string } }>('session.new', {
    capabilities: {},
  });
  await command('session.subscribe', { events: ['log.entryAdded'] });
  const { context } = await command<{ context: string }>('browsingContext.create', { type: 'tab' });
  return {
    version: capabilities.browserVersion,
    complaints,
    async goto(url) {
      await command('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    async evaluate(expression) {
      const { result, exceptionDetails } = await command<Evaluated>('script.evaluate', {
        expression: `(async () => JSON.stringify({ value: await (${expression}) }))()`,
        target: { context },
        awaitPromise: true,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return JSON.parse(result!.value).value;
    },
    [Symbol.asyncDispose]: () => browser.stop(),
  };
}

interface Evaluated {
  readonly result?: { value: string };
  readonly exceptionDetails?: { text: string };
}

/** A message from Firefox: the answer to a command, or an event. */
interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly message?: string;
  readonly method?: string;
  readonly params?: unknown;
}

/** Connects to Firefox. Returns a function that sends a command and resolves with its result. */
async function openSession(url: string, onEvent: (event: Message) => void) {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`no connection to ${url}`));
  });
  const commands: PromiseWithResolvers<unknown>[] = [];
  socket.onmessage = ({ data }) => {
    const message: Message = JSON.parse(data);
    if (message.id === undefined) onEvent(message);
    else if ('result' in message) commands[message.id].resolve(message.result);
    else commands[message.id].reject(new Error(message.message));
  };
  socket.onclose = () => {
    for (const { reject } of commands) reject(new Error('Firefox has ended'));
  };
  return <T>(method: string, params: object): Promise<T> => {
    const command = Promise.withResolvers<unknown>();
    socket.send(JSON.stringify({ id: commands.push(command) - 1, method, params }));
    return command.promise as Promise<T>;
  };
}
