import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

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

/** Returns the path of an installed Chromium: `CHROMIUM_PATH`, or the first one on `PATH`; undefined without one. */
export function findChromium(): string | undefined {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not for us to run: the next one may be
  }
}
