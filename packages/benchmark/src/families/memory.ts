import { expectOneOf } from '../blocks/selection.ts';
import type { MemoryFindings } from '../memory/findings.ts';
import { measureMemory } from '../memory/measure-memory.ts';
import { memoryEntry } from '../memory/memory-entry.ts';
import { MEMORY_SUBJECTS, memoryProfile } from '../memory/profile.ts';
import type { Family } from './family.ts';

/** What connections cost the server's memory. */
export const MEMORY: Family<MemoryFindings> = {
  name: 'memory',
  about: 'resident memory of workerd: idle, per idle connection, awake and hibernating, and under load',
  subjects: MEMORY_SUBJECTS,
  hosts: ['workerd'],
  measure({ extent, subjects = MEMORY_SUBJECTS, hosts = ['workerd'], seed, progress }) {
    for (const host of hosts) expectOneOf('host of the family memory', host, ['workerd']);
    const wanted = subjects.map((each) => expectOneOf('subject of the family memory', each, MEMORY_SUBJECTS));
    return measureMemory(memoryProfile(extent), wanted, seed, progress);
  },
  entry: memoryEntry,
};
