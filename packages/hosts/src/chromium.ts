import { type Browser, chromium } from 'playwright-core';
import type { BrowserHost } from './browser-page.ts';
import { findOnPath } from './on-path.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Flags under which Chromium runs as root in a container and talks to nobody but the page's server. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts the Chromium that `findChromium` finds, without a window; with more arguments than it needs, where there are `more`. */
export function launchChromium(...more: string[]): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: [...ARGUMENTS, ...more] });
}

/** The same Chromium, with one page, whose garbage can be collected on demand. */
export const CHROMIUM: BrowserHost = {
  name: 'Chromium',
  missing: () => (findChromium() ? undefined : 'no Chromium on PATH; install one or set CHROMIUM_PATH'),
  async open() {
    const browser = await launchChromium('--js-flags=--expose-gc');
    const page = await browser.newPage();
    return {
      version: browser.version(),
      async goto(url) {
        await page.goto(url);
      },
      evaluate: (expression) => page.evaluate(expression),
      [Symbol.asyncDispose]: () => browser.close(),
    };
  },
};

/** Returns the path of an installed Chromium: `CHROMIUM_PATH`, or the first one on `PATH`; undefined without one. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM_PATH || findOnPath(...NAMES);
}
