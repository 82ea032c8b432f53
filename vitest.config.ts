import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';

/** Packages of the workspace resolve to their sources, so that a test never sees a stale build. */
const conditions = ['@lumenize/source'];
const resolve = { conditions };
const ssr = { resolve: { conditions: [...conditions, 'node', 'module', 'import'] } };

export default defineConfig({
  test: {
    reporters: ['default'],
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'node',
          environment: 'node',
          include: ['packages/*/test/**/*.test.ts', 'test/*.test.ts'],
          exclude: ['test/performance.test.ts'],
          typecheck: { enabled: false },
        },
      },
      {
        plugins: [cloudflareTest({ wrangler: { configPath: './test/workerd/wrangler.toml' } })],
        ssr: { resolve: { conditions: [...conditions, 'workerd', 'worker', 'module', 'import'] } },
        test: { name: 'workerd', include: ['test/workerd/**/*.test.ts'] },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'performance',
          environment: 'node',
          include: ['test/performance.test.ts'],
          globalSetup: ['packages/benchmark/src/vitest-setup.ts'],
        },
      },
      {
        resolve,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['test/types/*.test-d.ts'],
            tsconfig: './test/types/tsconfig.json',
          },
        },
      },
    ],
  },
});
