// The client of the families start and memory, in a process of its own: it starts, idles, wakes and reconnects.

import { setTimeout as delay } from 'node:timers/promises';
import { inTurn } from '@lumenize/hosts/in-turn';
import { openRelay } from '@lumenize/hosts/relay';
import { median } from 'simple-statistics';
import type { Figure } from '../../engine/plan.ts';
import { expectAnswer } from '../../scenarios/scenario.ts';
import { SUBJECTS } from '../../subjects/all.ts';
import { lumenizeAt } from '../../subjects/lumenize.ts';
import type { Connection, Subject, SubjectName } from '../../subjects/subject.ts';

interface Place {
  readonly url: string;
  readonly subject: SubjectName;
}

/** Number of connections that are opened at once. */
const OPENED_AT_ONCE = 50;

const held = new Map<string, Connection[]>();
let callers: ReturnType<typeof startCallers> | undefined;

/** Opens connections under an arm's name, to so many objects in turn, until there are `connections`; each has made a call then. Resolves with when the last had answered. */
export async function hold(asked: Place & { arm: string; connections: number; objects: number }): Promise<number> {
  const own = held.get(asked.arm) ?? [];
  held.set(asked.arm, own);
  const first = own.length;
  await inTurn(asked.connections - first, OPENED_AT_ONCE, async (place) => {
    const object = `${asked.arm}-${(first + place) % asked.objects}`;
    const connection = await SUBJECTS[asked.subject].connect(asked.url, object);
    own.push(connection);
    await timeToAnswer(async () => connection);
  });
  return now();
}

/** Calls over each connection that an arm holds, so many of them at once, and times each call. */
export async function wake({ arm, atOnce = 1 }: { arm: string; atOnce?: number }): Promise<number[]> {
  const own = held.get(arm)!;
  const samplesMs: number[] = [];
  await inTurn(own.length, atOnce, async (place) => {
    samplesMs.push(await timeToAnswer(async () => own[place]));
  });
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
  expectAnswer('getValue', await (await connect()).work.getValue(), 0);
  return performance.now() - begun;
}

const OBJECT = 'updated';
/** Time until a client that lost a call makes the next one, or tries to open another connection. */
const RETRY_MS = 20;
const TIMEOUT_MS = 30_000;

/** The clock that all processes of a machine have in common, in ms. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** When the old code was ended, and when the new one was started. */
type Replaced = Readonly<Record<'endedAt' | 'newAt', number>>;

/** Figures of increments during an update. */
type Losses = Pick<Figure, 'unit' | 'value' | 'detail'>;

/**
 * Has clients increment one counter, each one call after the other, over whatever happens to their connections. Of a
 * subject that `reconnects` by itself a client goes on with the connection it has.
 */
function startCallers(subject: Subject, url: string, clients: number, reconnects: boolean) {
  const values = new Set<number>();
  const answeredAt: number[][] = Array.from({ length: clients }, () => []);
  let lost = 0;
  let isOver = false;
  const connect = async () => subject.connect(url, OBJECT);
  const answering = async () => {
    const connection = await connect();
    await connection.work.getValue();
    return connection;
  };
  /** Opens connections until one answers, as a user has to. */
  const another = (): Promise<Connection> => answering().catch(() => delay(RETRY_MS).then(another));
  const run = async (times: number[]) => {
    let connection = await connect();
    while (!isOver) {
      try {
        values.add(await connection.work.increment());
        times.push(now());
      } catch {
        lost++;
        if (!reconnects) connection.close();
        // A stub that refuses at once would else keep this process from hearing that it is to end.
        if (reconnects) await delay(RETRY_MS);
        else connection = await another();
      }
    }
    connection.close();
  };
  const running = Promise.all(answeredAt.map(run));
  /** Resolves when every client has had an answer after `at`; rejects where that takes too long or one has failed. */
  const answered = async (at = 0) => {
    const deadline = now() + TIMEOUT_MS;
    while (!answeredAt.every((times) => (times.at(-1) ?? 0) > at)) {
      if (now() > deadline) throw new Error(`${subject.name}: no answer within ${TIMEOUT_MS} ms`);
      await Promise.race([delay(1), running]);
    }
  };
  /** Ends the calls, reads the counter and says how they went. */
  const finish = async ({ endedAt, newAt }: Replaced): Promise<Losses> => {
    await answered(newAt);
    isOver = true;
    await running;
    const succeeded = answeredAt.flat().length;
    if (values.size < succeeded) throw new Error(`${succeeded} increments returned ${values.size} values`);
    const connection = await connect();
    const value = await connection.work.getValue();
    connection.close();
    const againMs = answeredAt.map((times) => times.find((at) => at > newAt)! - endedAt);
    return lossesOf({ succeeded, lost, value, againMs }, newAt - endedAt);
  };
  return { answered, finish };
}

/**
 * Puts into figures how many calls succeeded and were `lost`, what the counter's value was in the end, and how long each
 * client was without an answer; throws where an increment that succeeded is not stored.
 */
export function lossesOf(
  counts: { succeeded: number; lost: number; value: number; againMs: readonly number[] },
  downMs: number,
): Losses {
  const { succeeded, lost, value, againMs } = counts;
  // Runs beyond those that a client was told of: of calls that it was told were lost, or of calls that ran twice.
  const more = value - succeeded;
  if (more < 0) throw new Error(`the counter stands at ${value} after ${succeeded} increments that succeeded`);
  const ran = { lostThoughRunCalls: Math.min(lost, more), repeatedCalls: Math.max(0, more - lost) };
  const again = { answeredAgainMedianMs: median([...againMs]), answeredAgainMaxMs: Math.max(...againMs) };
  return { unit: 'calls lost', value: lost, detail: { calls: succeeded + lost, ...ran, downMs, ...again } };
}
