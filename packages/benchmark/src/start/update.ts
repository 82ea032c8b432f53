import { inTurn } from '@lumenize/hosts/in-turn';
import { delay } from '../delay.ts';
import { ClientProcess } from '../load/conversation.ts';
import { expectAnswer } from '../scenarios/scenario.ts';
import type { SubjectName } from '../subjects/subject.ts';
import { now } from './callers.ts';
import type { StartParts } from './launch.ts';
import { type StartProfile, UPDATE, UPDATE_ONCE } from './profile.ts';
import type { StartRequests, UpdateCounts } from './requests.ts';

/** How long clients call before their code is replaced. */
const BEFORE_MS = 100;

/** What became of calls while the code was replaced under them. */
export interface UpdateReading extends UpdateCounts {
  readonly scenario: string;
  readonly subject: SubjectName;
  /** From the end of the old process to the start of the new one. */
  readonly downMs: number;
}

/** Who takes part, and whether increments are declared to run exactly once, which only one can. */
const UPDATED: readonly { readonly scenario: string; readonly subject: SubjectName }[] = [
  { scenario: UPDATE_ONCE, subject: 'lumenize' },
  { scenario: UPDATE, subject: 'lumenize' },
  { scenario: UPDATE, subject: 'capnweb' },
  { scenario: UPDATE, subject: 'raw' },
];

/** Replaces the code under clients of each of these subjects that call, in a fresh workerd each. */
export async function updates(
  subjects: readonly string[],
  { clients, atOnce }: StartProfile,
  parts: StartParts,
): Promise<UpdateReading[]> {
  const wanted = UPDATED.filter(({ subject }) => subjects.includes(subject));
  const readings: UpdateReading[] = [];
  await inTurn(wanted.length, atOnce, async (place) => {
    readings[place] = await update(wanted[place], clients, parts);
  });
  return readings;
}

async function update(
  { scenario, subject }: (typeof UPDATED)[number],
  clients: number,
  { serve, client }: StartParts,
): Promise<UpdateReading> {
  const server = await serve();
  const callers = new ClientProcess<StartRequests>(client);
  try {
    await callers.ask('callers', { url: server.url, subject, clients, once: scenario === UPDATE_ONCE });
    await delay(BEFORE_MS);
    expectAnswer('version before the update', await server.version(), 1);
    const endedAt = now();
    await server.kill();
    await server.restart(newVersion);
    const newAt = server.spawnedAt();
    const counts = await callers.ask('finish', { endedAt, newAt });
    expectAnswer('version after the update', await server.version(), 2);
    return { scenario, subject, downMs: newAt - endedAt, ...counts };
  } finally {
    callers.stop();
    await server.stop();
  }
}

function newVersion(bundle: string): string {
  const changed = bundle.replaceAll('OBSERVED_VERSION = 1', 'OBSERVED_VERSION = 2');
  if (changed === bundle) throw new Error('the bundle has no version');
  return changed;
}
