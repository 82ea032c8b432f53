import { describe, expect, it } from 'vitest';
import { performanceMode } from '../src/vitest-setup.ts';

describe('performanceMode', () => {
  it.each([['run', 'performance'], ['performance'], ['run', 'test/performance.test.ts'], ['run', 'performance.test']])(
    'measures where the suite is asked for by name: %s %s',
    (...args) => {
      expect(performanceMode(args, {})).toBe('measure');
    },
  );

  it.each([[['run']], [['run', 'test']], [['run', '--project', 'performance']], [['run', '--project=performance']]])(
    'only checks otherwise: %s',
    (args) => {
      expect(performanceMode(args, {})).toBe('check');
    },
  );

  it('only checks in continuous integration', () => {
    expect(performanceMode(['run', 'performance'], { CI: 'true' })).toBe('check');
    expect(performanceMode(['run', 'performance'], { CI: '1' })).toBe('check');
    expect(performanceMode(['run', 'performance'], { CI: 'false' })).toBe('measure');
    expect(performanceMode(['run', 'performance'], { CI: '' })).toBe('measure');
  });
});
