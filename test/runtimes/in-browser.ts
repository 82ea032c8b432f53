import type { BrowserHost } from '@lumenize/hosts/browser-page';
import { bundlePage } from '../support/bundle-page.ts';
import type { Runtime, RuntimeResult } from './runtimes.ts';

/** A runtime that is a browser: the cases run in a page. */
export function inBrowser(host: BrowserHost): Runtime {
  return {
    name: host.name,
    missing: async () => host.missing(),
    async run(origin, parts) {
      const script = await bundlePage('contract-page.ts', { keepNames: true, target: 'es2022' });
      await using page = await host.open();
      // Any page of the Worker's own origin may connect, even one that says 404.
      await page.goto(`${origin}/page`);
      await page.evaluate(`void (0, eval)(${JSON.stringify(script)})`);
      const results = await page.evaluate<RuntimeResult[]>(
        `runContractParts(location.origin, ${JSON.stringify(parts)})`,
      );
      return { version: page.version, results };
    },
  };
}
