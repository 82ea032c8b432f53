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

/** The number of connections that are opened at once. */
const OPENED_AT_ONCE = 50;

const held = new Map<string, Connection[]>();
let callers: ReturnType<typeof startCallers> | undefined;

/**
 * Opens connections under an arm's name, to `objects` objects in turn, until there are `connections`. Each makes a
 * call. Resolves with the time of the last answer.
 */
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

/** Makes a call over each connection that an arm holds, `atOnce` at a time. Resolves with the time of each call. */
export async function wake({ arm, atOnce = 1 }: { arm: string; atOnce?: number }): Promise<number[]> {
  const own = held.get(arm)!;
  const samplesMs: number[] = [];
  await inTurn(own.length, atOnce, async (place) => {
    samplesMs.push(await timeToAnswer(async () => own[place]));
  });
  return samplesMs;
}

/**
 * Cuts new connections, `times` times, and measures from the cut to an answer. For a client that `reconnects`, it is
 * the answer to the next call. Otherwise it is the first answer over a new connection, which the user has to open.
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

/** Makes clients call one counter until `finish`. Resolves when each client has had an answer. */
export function call({ url, subject, clients, once }: Place & { clients: number; once: boolean }): Promise<void> {
  const called = once ? lumenizeAt(subject, 'counter-once') : SUBJECTS[subject];
  callers = startCallers(called, url, clients, subject.startsWith('lumenize'));
  return callers.answered();
}

/** Waits until each client has had an answer of the new code, ends the calls, and returns the losses. */
export function finish(replaced: Replaced): Promise<Losses> {
  return callers!.finish(replaced);
}

/** Returns how long it takes to connect and receive an answer. */
async function timeToAnswer(connect: () => Promise<Connection>): Promise<number> {
  const begun = performance.now();
  expectAnswer('getValue', await (await connect()).work.getValue(), 0);
  return performance.now() - begun;
}

const OBJECT = 'updated';
/** The time until a client that lost a call makes the next one or tries to open another connection, in milliseconds. */
const RETRY_MS = 20;
const TIMEOUT_MS = 30_000;

/** Returns the time in ms, by a clock that all processes of a machine share. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** When the old code was ended, and when the new code was started. */
type Replaced = Readonly<Record<'endedAt' | 'newAt', number>>;

/** The figures of increments during an update. */
type Losses = Pick<Figure, 'unit' | 'value' | 'detail'>;

/**
 * Makes clients increment one counter, each one call after the other, even if their connections are lost. If a subject
 * `reconnects`, a client keeps its connection.
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
        // A stub that rejects at once would otherwise keep this process from receiving the request to end.
        if (reconnects) await delay(RETRY_MS);
        else connection = await another();
      }
    }
    connection.close();
  };
  const running = Promise.all(answeredAt.map(run));
  /** Resolves when every client has had an answer after `at`. Rejects if that takes too long or a client has failed. */
  const answered = async (at = 0) => {
    const deadline = now() + TIMEOUT_MS;
    while (!answeredAt.every((times) => (times.at(-1) ?? 0) > at)) {
      if (now() > deadline) throw new Error(`${subject.name}: no answer within ${TIMEOUT_MS} ms`);
      await Promise.race([delay(1), running]);
    }
  };
  /** Ends the calls, reads the counter, and returns the losses. */
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
 * Returns the figures: how many calls succeeded and were `lost`, the final value of the counter, and how long each
 * client was without an answer. Throws if an increment that succeeded is not stored.
 */
export function lossesOf(
  counts: { succeeded: number; lost: number; value: number; againMs: readonly number[] },
  downMs: number,
): Losses {
  const { succeeded, lost, value, againMs } = counts;
  // Increments that ran without a success: those of calls that were reported lost, or of calls that ran twice.
  const more = value - succeeded;
  if (more < 0) throw new Error(`the counter stands at ${value} after ${succeeded} increments that succeeded`);
  const ran = { lostThoughRunCalls: Math.min(lost, more), repeatedCalls: Math.max(0, more - lost) };
  const again = { answeredAgainMedianMs: median([...againMs]), answeredAgainMaxMs: Math.max(...againMs) };
  return { unit: 'calls lost', value: lost, detail: { calls: succeeded + lost, ...ran, downMs, ...again } };
}
