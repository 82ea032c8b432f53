import { expectOneOf } from '../blocks/selection.ts';
import { cellsOf, PROFILED } from '../profile/cells.ts';
import { profileEntry } from '../profile/entry.ts';
import { gatherProfiles } from '../profile/results.ts';
import { type ProfileRun, runProfile } from '../profile/run-profile.ts';
import { WORKLOADS } from '../profile/workloads.ts';
import type { Extent, Family } from './family.ts';

const HOSTS = ['workerd'] as const;

const MODELLED = WORKLOADS.filter(({ modelled }) => modelled).map(({ name }) => name);
const ALL = WORKLOADS.map(({ name }) => name);

const RUNS: Readonly<Record<Extent, Omit<ProfileRun, 'cells'>>> = {
  alone: {
    launches: 4,
    times: { warmUpMs: 300, plainMs: 500, profiledMs: 1200 },
    budgetMs: 170_000,
    countWire: ALL,
  },
  whole: {
    launches: 3,
    times: { warmUpMs: 200, plainMs: 250, profiledMs: 600 },
    budgetMs: 75_000,
    countWire: MODELLED,
  },
  quick: {
    launches: 1,
    times: { warmUpMs: 10, plainMs: 10, profiledMs: 40 },
    budgetMs: 5_000,
    countWire: MODELLED.slice(0, 1),
  },
};

/** Where a call's microseconds go. */
export const PROFILE: Family = {
  name: 'profile',
  about: 'where the microseconds of a call go on both sides, and what it would take over real links',
  subjects: PROFILED,
  hosts: HOSTS,
  async measure({ extent, subjects, hosts, seed, progress }) {
    for (const subject of subjects ?? []) expectOneOf('subject of the family profile', subject, PROFILED);
    for (const host of hosts ?? []) expectOneOf('host of the family profile', host, HOSTS);
    const reports = await runProfile({ ...RUNS[extent], cells: cellsOf(undefined, subjects) }, seed, progress);
    return { results: gatherProfiles(reports), comparisons: [], launches: [] };
  },
  entry: profileEntry,
};
