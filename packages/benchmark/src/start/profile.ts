import { CONTROL, MAIN_ARMS } from '../blocks/arms.ts';
import type { Extent } from '../families/family.ts';
import type { Arm } from '../load/plan.ts';

/** Scenarios, as results and comparisons name them. */
export const IMPORT_CLIENT = 'import/client';
export const IMPORT_SERVER = 'import/server';
export const FIRST_CALL = 'start/first-call';
export const WAKE = 'wake/first-result';
export const RESUME = 'reconnect/resumed';
export const NEW_SESSION = 'reconnect/new-session';
export const UPDATE = 'update/increments';
export const UPDATE_ONCE = 'update/increments, exactly once';

export const START_SUBJECTS: readonly string[] = MAIN_ARMS.map(({ id }) => id);
/** Those that start: all subjects, and one of them against itself. */
export const START_ARMS: readonly Arm[] = [...MAIN_ARMS, CONTROL];

const IN_MEMORY = 'an object with an open connection of it stays in memory';
const NOBODY = `nobody wrote a reconnection; the nearest thing is ${NEW_SESSION}`;

/** Who cannot do what, and why. */
export const CANNOT: readonly { readonly scenario: string; readonly subject: string; readonly why: string }[] = [
  { scenario: WAKE, subject: 'capnweb', why: `it cannot hibernate: ${IN_MEMORY}` },
  { scenario: WAKE, subject: 'lumenize-accept', why: `hibernation is off: ${IN_MEMORY}` },
  { scenario: WAKE, subject: 'raw-accept', why: `its socket does not hibernate: ${IN_MEMORY}` },
  {
    scenario: RESUME,
    subject: 'capnweb',
    why: `it does not reconnect: the application hears of it by onRpcBroken, opens a session, gets its stubs anew and repeats its calls; the nearest thing is ${NEW_SESSION}`,
  },
  { scenario: RESUME, subject: 'raw', why: NOBODY },
  { scenario: RESUME, subject: 'raw-accept', why: NOBODY },
  { scenario: UPDATE_ONCE, subject: 'capnweb', why: 'calls in flight reject, and it does not make them again' },
  { scenario: UPDATE_ONCE, subject: 'raw', why: 'calls in flight reject, and nobody wrote how they are made again' },
];

/** What is measured in one run. */
export interface StartProfile {
  /** Fresh processes that import each module. */
  readonly imports: number;
  readonly launches: number;
  /** The code is replaced in so many of the launches. */
  readonly updates: number;
  /** No launch but the first is begun that would end later. */
  readonly budgetMs: number;
  /** In a launch, how often objects hibernate and wake, and connections are cut. */
  readonly rounds: number;
  /** Objects that wake, and connections that are cut, in a round. */
  readonly objects: number;
  readonly cuts: number;
  /** Clients that call while the code is replaced. */
  readonly clients: number;
  /** Servers at the same time: more than one only where nothing but that it works is of interest. */
  readonly atOnce: number;
}

/** Returns what fits in the time that each extent has. */
export function startProfile(extent: Extent): StartProfile {
  const usual = { rounds: 3, objects: 20, cuts: 4, clients: 50, atOnce: 1 };
  switch (extent) {
    case 'alone':
      return { ...usual, imports: 30, launches: 14, updates: 8, budgetMs: 165_000 };
    case 'whole':
      return { ...usual, imports: 15, launches: 6, updates: 3, budgetMs: 70_000 };
    case 'quick':
      return {
        imports: 1,
        launches: 1,
        updates: 1,
        budgetMs: 0,
        rounds: 1,
        objects: 2,
        cuts: 1,
        clients: 5,
        atOnce: 3,
      };
    default:
      throw new Error(`there is no extent ${extent satisfies never}`);
  }
}
