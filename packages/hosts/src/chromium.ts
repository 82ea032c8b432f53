import { type Browser, chromium } from 'playwright-core';
import type { BrowserHost } from './browser-page.ts';
import { findOnPath } from './on-path.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Flags that let Chromium run as root in a container, and keep it from contacting anything but the page's server. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts the Chromium that `findChromium` finds, without a window. `more` are additional arguments. */
export function launchChromium(...more: string[]): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: [...ARGUMENTS, ...more] });
}

/** Chromium with one page whose garbage can be collected on demand. */
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

/**
 * Returns the path of an installed Chromium: `CHROMIUM_PATH`, or else the first one on `PATH`. Returns undefined if
 * there is none.
 */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM_PATH || findOnPath(...NAMES);
}
