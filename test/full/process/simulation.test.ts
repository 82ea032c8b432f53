import { describe, expect, test } from 'vitest';
import { EVICTING_PROBES, PROBES } from '../../../packages/simulation/test/probes/probes.ts';
import { probeWorkerd } from '../../../packages/simulation/test/probes/workerd.ts';
import { runScript } from '../../../packages/simulation/test/run-checks.ts';

describe('the simulated platform does as workerd does', async () => {
  const [simulated, real] = await Promise.all([
    runScript<Record<string, unknown>>('../../../packages/simulation/test/checks/probe-simulated.ts'),
    probeWorkerd().then((outcomes) => JSON.parse(JSON.stringify(outcomes))),
  ]);
  test.each([...Object.keys(PROBES), ...Object.keys(EVICTING_PROBES)])('%s', (name) => {
    expect(simulated[name]).toEqual(real[name]);
  });
});

test('random programs come to the same on the simulated platform and in workerd', async () => {
  expect(await runScript<string[]>('../../../packages/simulation/test/checks/compare-programs.ts', '1', '20')).toEqual(
    [],
  );
});
