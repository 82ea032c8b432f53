import { expect, it } from 'vitest';
import { MEMORY } from '../src/families/memory.ts';
import { MEMORY_SUBJECTS } from '../src/memory/profile.ts';
import { figures } from '../src/memory/ratios.ts';
import { unavailableResults } from '../src/run-record.ts';

const SILENT = { start() {}, update() {}, stop() {} };

it.runIf(process.platform === 'linux')(
  'looks at workerd with connections of every subject, awake and hibernating, and under load',
  { timeout: 120_000 },
  async () => {
    const found = await MEMORY.measure({ extent: 'quick', seed: 1, progress: SILENT });
    const of = (wanted: string) => figures(found).filter(({ scenario }) => scenario === wanted);
    expect(of('connection/awake').map(({ subject }) => subject)).toEqual(MEMORY_SUBJECTS);
    expect(of('connection/hibernating').map(({ subject }) => subject)).toEqual(['lumenize', 'raw']);
    for (const { detail } of [...of('connection/awake'), ...of('connection/hibernating')]) {
      expect(detail).toMatchObject({ connections: 20, connectionsWanted: 20, openFilesPerConnection: 2 });
      expect(detail!.residentAt20Bytes).toBeGreaterThan(10e6);
    }
    expect(unavailableResults(found).map(({ subject, scenario }) => `${subject}: ${scenario}`)).toEqual(
      ['lumenize-accept', 'capnweb', 'raw-accept'].map((subject) => `${subject}: connection/hibernating`),
    );
    expect(of('process/under-load').map(({ subject }) => subject)).toEqual(MEMORY_SUBJECTS);
    for (const { value, detail } of of('process/under-load')) {
      expect(detail!.calls).toBeGreaterThanOrEqual(20);
      expect(value).toBeGreaterThan(detail!.idleBytes);
    }
    // Ten launches with connections that idle, and five under load.
    expect(of('process/idle')[0].n).toBe(15);
    expect(found.launches).toHaveLength(10);
    // Frames that may be compressed take buffers, of all but Lumenize RPC, which refuses.
    expect(of('connection/hibernating, compressed').map(({ subject }) => subject)).toEqual(['raw']);
    expect(of('connection/awake, compressed').map(({ subject }) => subject)).toEqual(['capnweb']);

    const { results, configuration } = MEMORY.entry(found);
    expect(results).toContain('its sessions live in memory');
    expect(configuration.join('\n')).toContain('up to 20 connections');
  },
);

it('opens no connection of subjects that are not wanted', { timeout: 60_000 }, async () => {
  const found = await MEMORY.measure({ extent: 'quick', seed: 1, subjects: ['raw-accept'], progress: SILENT });
  expect(new Set(found.results.map(({ subject }) => subject))).toEqual(new Set(['workerd', 'raw-accept']));
});
