// The client that starts, wakes and reconnects, in a process of its own.
import { openRelay } from '@lumenize/hosts/relay';
import { expectAnswer } from '../../scenarios/scenario.ts';
import { SUBJECTS } from '../../subjects/all.ts';
import { lumenizeAt } from '../../subjects/lumenize.ts';
import type { Connection, SubjectName } from '../../subjects/subject.ts';
import { type Losses, now, type Replaced, startCallers } from './callers.ts';

interface Place {
  readonly url: string;
  readonly subject: SubjectName;
}

const held = new Map<string, Connection[]>();
let callers: ReturnType<typeof startCallers> | undefined;

/** Opens a connection to each of so many objects, under an arm's name, and calls each; resolves with when the last had answered. */
export async function hold({ url, subject, arm, objects }: Place & { arm: string; objects: number }): Promise<number> {
  const connections: Connection[] = [];
  for (let i = 0; i < objects; i++) connections.push(await SUBJECTS[subject].connect(url, `${arm}-${i}`));
  held.set(arm, connections);
  await wake({ arm });
  return now();
}

/** Calls the objects that an arm holds connections to, one after the other, and times each. */
export async function wake({ arm }: { arm: string }): Promise<number[]> {
  const samplesMs: number[] = [];
  for (const connection of held.get(arm)!) samplesMs.push(await timeToAnswer(async () => connection));
  return samplesMs;
}

/**
 * Cuts fresh connections, `times` times, and times from the cut to an answer: of the next call of a client that
 * `reconnects` by itself, or of a new connection, which is what is left to a user whose library does not.
 */
export async function cut(asked: Place & { times: number; reconnects: boolean }): Promise<number[]> {
  using relay = await openRelay(asked.url);
  const connect = async () => SUBJECTS[asked.subject].connect(relay.url, 'cut');
  const samplesMs: number[] = [];
  for (let i = 0; i < asked.times; i++) {
    let connection = await connect();
    await timeToAnswer(async () => connection);
    const again = async () => {
      relay.cut();
      if (asked.reconnects) return connection;
      connection.close();
      connection = await connect();
      return connection;
    };
    samplesMs.push(await timeToAnswer(again));
    connection.close();
  }
  return samplesMs;
}

/** Has clients call one counter until `finish`; resolves when each has had an answer. */
export function call({ url, subject, clients, once }: Place & { clients: number; once: boolean }): Promise<void> {
  const called = once ? lumenizeAt(subject, 'counter-once') : SUBJECTS[subject];
  callers = startCallers(called, url, clients, subject.startsWith('lumenize'));
  return callers.answered();
}

/** Waits until each has had an answer of the new code, ends the calls and says how they went. */
export function finish(replaced: Replaced): Promise<Losses> {
  return callers!.finish(replaced);
}

/** Returns how long it takes to have a connection and an answer of it. */
async function timeToAnswer(connect: () => Promise<Connection>): Promise<number> {
  const begun = performance.now();
  expectAnswer('getValue', await (await connect()).getValue(), 0);
  return performance.now() - begun;
}
