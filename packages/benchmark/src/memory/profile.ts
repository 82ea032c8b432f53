import type { Extent } from '../families/family.ts';
import type { SubjectName } from '../subjects/subject.ts';

/** Connections whose memory is measured: of a subject, awake or, where it can, hibernating. */
export interface IdleArm {
  readonly id: string;
  readonly subject: SubjectName;
  readonly hibernates: boolean;
  /** Whether frames may be compressed, as workerd has it unless told otherwise, where the subject does not refuse. @default false */
  readonly compressed?: boolean;
  /** Whether it takes part in every round, as whatever is compared does, or only in the first. */
  readonly everyRound: boolean;
}

const arm = (subject: SubjectName, state: 'awake' | 'hibernating', everyRound: boolean): IdleArm => {
  return { id: `${subject}/${state}`, subject, hibernates: state === 'hibernating', everyRound };
};
const compressed = (idle: IdleArm): IdleArm => ({ ...idle, id: `${idle.id}, compressed`, compressed: true });

/** `lumenize` against itself: a ratio that differs from 1 here is the method's own. */
export const MEMORY_CONTROL: IdleArm = {
  ...arm('lumenize', 'hibernating', true),
  id: 'lumenize-again/hibernating',
};

export const IDLE_ARMS: readonly IdleArm[] = [
  arm('lumenize', 'hibernating', true),
  arm('raw', 'hibernating', true),
  MEMORY_CONTROL,
  arm('lumenize', 'awake', true),
  arm('capnweb', 'awake', true),
  arm('raw', 'awake', true),
  arm('lumenize-accept', 'awake', true),
  arm('raw-accept', 'awake', true),
  compressed(arm('raw', 'hibernating', false)),
  compressed(arm('capnweb', 'awake', false)),
];

export const MEMORY_SUBJECTS: readonly SubjectName[] = ['lumenize', 'lumenize-accept', 'capnweb', 'raw', 'raw-accept'];

/** Why the connections of others never hibernate. */
export const NEVER_HIBERNATES: Partial<Record<SubjectName, string>> = {
  capnweb: 'its sessions live in memory, so that an object with an open connection stays there',
  'lumenize-accept': 'hibernation is off',
  'raw-accept': 'its socket is accepted without hibernation',
};

/** What is measured in one run. */
export interface MemoryProfile {
  /** The numbers of connections at which memory is looked at, ascending. */
  readonly connections: readonly number[];
  /** A round has a fresh workerd for each of its arms. */
  readonly rounds: number;
  /** No round is begun that would end later, but for the first. */
  readonly budgetMs: number;
  readonly loadMs: number;
  readonly loadRounds: number;
  /** Launches at the same time: more than one only where nothing but that it works is of interest. */
  readonly atOnce: number;
}

/** Returns what fits in the time that each extent has. */
export function memoryProfile(extent: Extent): MemoryProfile {
  switch (extent) {
    case 'alone':
      return {
        connections: [100, 1000, 2000, 3500, 5000],
        rounds: 6,
        budgetMs: 170_000,
        loadMs: 3000,
        loadRounds: 3,
        atOnce: 1,
      };
    case 'whole':
      return {
        connections: [100, 400, 700, 1000],
        rounds: 4,
        budgetMs: 72_000,
        loadMs: 1500,
        loadRounds: 1,
        atOnce: 1,
      };
    case 'quick':
      return { connections: [10, 20], rounds: 1, budgetMs: 0, loadMs: 50, loadRounds: 1, atOnce: 4 };
    default:
      throw new Error(`there is no extent ${extent satisfies never}`);
  }
}
