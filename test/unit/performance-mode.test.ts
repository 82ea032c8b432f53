import { expect, it } from 'vitest';
import { performanceMode } from '../support/performance-mode.ts';

it.each([
  ...['run performance', 'performance', 'run test/performance.test.ts', 'run performance.test'].map(
    (args) => ['measure', args, undefined] as const,
  ),
  ...['run', 'run test', 'run --project performance', 'run --project=performance'].map(
    (args) => ['check', args, undefined] as const,
  ),
  ...['true', '1'].map((ci) => ['check', 'run performance', ci] as const),
  ...['false', ''].map((ci) => ['measure', 'run performance', ci] as const),
])('the suite is to %s by vitest %s, in continuous integration: %s', (mode, args, CI) => {
  expect(performanceMode(args.split(' '), { CI })).toBe(mode);
});
