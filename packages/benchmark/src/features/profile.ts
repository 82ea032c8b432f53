import { FAMILY_HOSTS } from '../blocks/family-profiles.ts';
import type { Profile } from '../blocks/profiles.ts';
import { expectOneOf, narrowed } from '../blocks/selection.ts';
import type { FamilyContext } from '../families/family.ts';
import { WORK_WORKER } from '../hosts/worker-config.ts';
import { FEATURE_SCENARIOS } from '../scenarios/all.ts';
import { FEATURE_ARMS, FEATURE_CONTROL, FEATURE_PAIRS } from './arms.ts';
import { featureCosts } from './costs.ts';
import { FEATURES } from './feature.ts';

const LAUNCHES = 6;
/** The time that the family has on a host, and each launch of it: alone, and as part of the full profile. */
const TIMES = {
  alone: { budgetMs: 150_000, latestMs: 170_000, limitMs: 22_000 },
  whole: { budgetMs: 70_000, latestMs: 80_000, limitMs: 10_500 },
};
/** More than there is time for: blocks are short. */
const ROUNDS = 40;

/** The features that are wanted, beside `base`, which all are compared with. Throws where no such feature or host is known. */
export function featureProfile({ extent, subjects, hosts = ['workerd'] }: FamilyContext): Profile {
  const known = subjects?.map((subject) => expectOneOf('subject of the family feature-cost', subject, FEATURES));
  const wanted = known && [...new Set([...known, FEATURE_CONTROL.subject])];
  const isQuick = extent === 'quick';
  const names = FEATURE_SCENARIOS.map(({ name }) => name);
  const { budgetMs, latestMs, limitMs } = TIMES[isQuick ? 'whole' : extent];
  const scenarios = narrowed(
    names.map((scenario) => ({
      scenario,
      arms: isQuick ? FEATURE_ARMS : [...FEATURE_ARMS, FEATURE_CONTROL],
      rounds: isQuick ? 1 : ROUNDS,
      leading: isQuick ? 1 : 2,
      mirrored: !isQuick,
    })),
    wanted,
    FEATURE_CONTROL,
  );
  return {
    worker: WORK_WORKER,
    sizes: false,
    warmUp: !isQuick,
    countFrames: names,
    budgetMs: budgetMs * hosts.length,
    latestMs: latestMs * hosts.length,
    hosts: hosts.map((host) => ({
      host: expectOneOf('host', host, FAMILY_HOSTS),
      launches: isQuick ? 1 : LAUNCHES,
      atLeast: isQuick ? 1 : 3,
      limitMs,
      scenarios,
    })),
    compared: { pairs: FEATURE_PAIRS, control: FEATURE_CONTROL },
    figures: featureCosts,
  };
}
