import type { BrowserHost } from '@lumenize/hosts/browser-page';
import { CHROMIUM } from '@lumenize/hosts/chromium';
import { FIREFOX } from '@lumenize/hosts/firefox';
import { WEBKIT } from '@lumenize/hosts/webkit';
import type { CaseOutcome } from '../contract/run-case.ts';
import { inBrowser } from './in-browser.ts';
import { inProcess } from './in-process.ts';

/** What became of a case in a runtime. */
export interface RuntimeResult extends CaseOutcome {
  readonly part: string;
  readonly case: string;
}

/** What became of the cases that a runtime was given, and its version. */
export interface RuntimeRun {
  readonly version: string;
  readonly results: readonly RuntimeResult[];
}

/** A runtime that the contract is tried in, over a socket to an object. */
export interface Runtime {
  readonly name: string;
  /** Resolves to what is missing to start it; undefined where nothing is. Downloads only where it may. */
  missing(mayDownload: boolean): Promise<string | undefined>;
  /** Runs the cases of some parts; `origin` is that of the Worker with the objects, such as `http://127.0.0.1:4711`. */
  run(origin: string, parts: readonly string[]): Promise<RuntimeRun>;
}

const BROWSERS: readonly BrowserHost[] = [CHROMIUM, FIREFOX, WEBKIT];

/** The runtimes that clients are tried in, beside workerd: the newest of each when they were put here. */
export const RUNTIMES: readonly Runtime[] = [
  inProcess({ name: 'Node 24', command: 'node', npmPackage: 'node@24.21.0', options: ['--expose-gc'] }),
  inProcess({ name: 'Node 22', command: 'node', npmPackage: 'node@22.23.3', options: ['--expose-gc'] }),
  inProcess({
    name: 'Deno',
    command: 'deno',
    npmPackage: 'deno@2.9.6',
    options: ['run', '--allow-all', '--v8-flags=--expose-gc'],
  }),
  inProcess({ name: 'Bun', command: 'bun', npmPackage: 'bun@1.4.5', options: ['--expose-gc'] }),
  ...BROWSERS.map(inBrowser),
];
