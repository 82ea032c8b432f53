import { describe, expect, test } from 'vitest';
import { EVICTING_PROBES, PROBES } from './probes/probes.ts';
import { probeWorkerd } from './probes/workerd.ts';
import { runScript } from './run-checks.ts';

describe('the simulated platform does as workerd does', async () => {
  const [simulated, real] = await Promise.all([
    runScript<Record<string, unknown>>('checks/probe-simulated.ts'),
    probeWorkerd().then((outcomes) => JSON.parse(JSON.stringify(outcomes))),
  ]);
  test.each([...Object.keys(PROBES), ...Object.keys(EVICTING_PROBES)])('%s', (name) => {
    expect(simulated[name]).toEqual(real[name]);
  });
});
