import { availableParallelism } from 'node:os';
import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
import { SOURCE_CONDITIONS } from './test/support/conditions.ts';
import { performanceMode } from './test/support/performance-mode.ts';

const conditions = SOURCE_CONDITIONS;
const resolve = { conditions };
/** Without `module`: what OpenTelemetry has by that is for bundlers, and Node cannot load it. */
const ssr = { resolve: { conditions: [...conditions, 'node', 'import'] } };

/**
 * What property tests and fuzzing start from. The same each time, so that no change fails for what another one did;
 * `npm run tool -- fuzz` and `FUZZ_SEED` begin elsewhere, and find more.
 */
const fuzz = {
  runs: Number(process.env.FUZZ_RUNS ?? 300),
  cases: Number(process.env.FUZZ_CASES ?? 20_000),
  seed: Number(process.env.FUZZ_SEED ?? 1),
};

/**
 * How long to wait for what comes sooner or later: a machine that has other things to do takes twenty times as long as one
 * that has not. What needs more than this says so itself.
 */
const patience = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 30_000 } } };

/** `npm run tool -- contract-table` runs every case, and takes down those that fail. */
const contractTable = process.env.CONTRACT_TABLE === '1';

const inNode = {
  ...patience,
  environment: 'node',
  globalSetup: ['test/support/shared-worker-setup.ts'],
  provide: { fuzz, contractTable },
  typecheck: { enabled: false },
} as const;

/** Only where somebody asks for it by name: it measures. */
const asksForPerformance = process.argv.some((argument) => argument.includes('performance'));

/** Tests that note that the text of a defect is gone, which is not how `npm run tool -- planted` wants to have it found. */
const notForPlanted =
  process.env.PLANTED === '1' ? ['packages/simulation/test/mutants.test.ts', 'test/unit/planted-defects.test.ts'] : [];

export default defineConfig({
  test: {
    reporters: ['default'],
    // One more than Vitest takes: what tests wait for is mostly another process.
    maxWorkers: availableParallelism(),
    projects: [
      {
        resolve,
        ssr,
        test: {
          ...inNode,
          name: 'node',
          include: [
            'packages/*/test/**/*.test.ts',
            'test/unit/**/*.test.ts',
            'test/contract/*.test.ts',
            'test/workerd/served/*.test.ts',
          ],
          exclude: ['packages/benchmark/**', ...notForPlanted],
        },
      },
      {
        plugins: [cloudflareTest({ wrangler: { configPath: './test/workerd/wrangler.toml' } })],
        ssr: { resolve: { conditions: [...conditions, 'workerd', 'worker', 'module', 'import'] } },
        test: {
          ...patience,
          name: 'workerd',
          include: ['test/workerd/*.test.ts'],
          provide: { fuzz, contractTable },
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
      {
        resolve,
        ssr,
        test: {
          ...inNode,
          name: 'full',
          include: ['test/full/**/*.test.ts', 'packages/benchmark/test/**/*.test.ts'],
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'performance',
          environment: 'node',
          include: asksForPerformance ? ['test/performance.test.ts'] : [],
          provide: { performanceMode: performanceMode(process.argv.slice(2), process.env) },
        },
      },
    ],
  },
});
