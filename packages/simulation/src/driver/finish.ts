import type { SessionCounts } from '@lumenize/rpc/server';
import type { ObjectReport } from '../programs/keys.ts';
import type { Program } from '../programs/program.ts';
import type { World } from '../world.ts';
import type { CallMaker } from './calls.ts';
import type { ProgramClient } from './client.ts';
import { type History, toldOf } from './history.ts';
import { until } from './until.ts';

/** Things that have been going on. */
export interface Going {
  readonly clients: readonly ProgramClient[];
  readonly maker: CallMaker;
  readonly history: History;
}

/** Time in which whoever has let go of something says so. */
const SOON_MS = 2000;
/** Longest time until what was collected, or has been said, is known. */
const SAID_MS = 200;

/** Waits until all that a program began has ended, lets go of everything, and notes what is left. Returns what the object then says. */
export async function finish(world: World, program: Program, going: Going, longestMs: number): Promise<ObjectReport> {
  const { clients, maker, history } = going;
  const isSettled = () => history.calls.every(({ ok, isForgotten }) => ok !== undefined || isForgotten);
  await until(world, isSettled, longestMs);
  const { newest } = await report(world);
  await until(world, () => behind(history, newest).length === 0, longestMs);
  history.left.push(...behind(history, newest));
  for (const client of clients) {
    client.leave();
    client.dispose();
  }
  await until(world, () => maker.pending.size === 0, longestMs);
  const isEmpty = () => clients.every((client) => leftAt(client).length === 0);
  await until(world, isEmpty, Math.min(longestMs, SOON_MS));
  let left = await leftEverywhere(world, program, clients);
  // What a refused call has passed, and what nobody waited for, goes with the garbage.
  if (left.length > 0 && world.can({ kind: 'collect' })) {
    await world.fault({ kind: 'collect' });
    // An object tells of that with what it says next, and not any more where it has left memory.
    await world.sleep(SAID_MS);
    // What comes late is let go of a little later.
    for (let attempt = 0; left.length > 0 && attempt < MOST_LOOKS; attempt++) {
      await until(world, isEmpty, Math.min(longestMs, SOON_MS));
      left = await leftEverywhere(world, program, clients);
    }
  }
  history.left.push(...left);
  for (const client of clients) client.finish();
  await world.calm();
  const last = await lastReport(world, longestMs);
  // To ask woke the object.
  await world.calm();
  return last;
}

/** Returns what is left at the clients, and at the object for them. */
async function leftEverywhere(world: World, program: Program, clients: readonly ProgramClient[]): Promise<string[]> {
  const left: string[] = [];
  await world.sleep(SAID_MS);
  for (const client of clients) left.push(...(await probe(world, program, client)));
  return [...left, ...clients.flatMap(leftAt)];
}

/** Makes a last call of a client, which has to succeed, and tells what the object holds for it. */
async function probe(world: World, program: Program, client: ProgramClient): Promise<string[]> {
  const { number, stub, connection } = client;
  if (program.clients[number].isNobody || connection.state === 'closed' || connection.statistics.framesSent === 0)
    return [];
  try {
    const counts = (await world.as(number, () => stub.probe())) as SessionCounts;
    return Object.entries(counts).flatMap(([what, count]) =>
      count === 0 ? [] : [`the object has ${count} ${what} of client ${number} left`],
    );
  } catch (error) {
    const { code, message } = toldOf(error);
    return [`the last call of client ${number} ended with ${code} ${message}`];
  }
}

/** Asks the object, again where it cannot say anything for now. */
export async function report(world: World): Promise<ObjectReport> {
  for (let attempt = 0; ; attempt++) {
    const answer = await world.request(`/control/${world.object}/report`);
    if (answer.ok) return (await answer.json()) as ObjectReport;
    if (attempt === MOST_ATTEMPTS) throw new Error(`the object does not report: ${await answer.text()}`);
    await world.sleep(SAID_MS);
  }
}

const MOST_ATTEMPTS = 10;
const MOST_LOOKS = 4;

/** Returns the object's report when all connections have ended, or should have. */
async function lastReport(world: World, longestMs: number): Promise<ObjectReport> {
  let last = await report(world);
  const end = world.now() + longestMs;
  while ((last.metrics.connections > 0 || last.metrics.callsInFlight > 0) && world.now() < end) {
    await world.sleep(100);
    last = await report(world);
  }
  return last;
}

/** Who follows a topic and has not come to its newest event. */
function behind({ calls }: History, newest: readonly number[]): string[] {
  return calls.flatMap(({ subscription, life, key }) => {
    if (!subscription?.isOpen || life.ended) return [];
    const { topic, since, items } = subscription;
    const last = items.at(-1)?.sequence ?? since ?? Number.POSITIVE_INFINITY;
    return last >= newest[topic] ? [] : [`${key} came to event ${last} of ${newest[topic]}`];
  });
}

/** Returns what a client's tables hold. */
function leftAt({ number, connection, life }: ProgramClient): string[] {
  const { state, statistics } = connection;
  if (statistics.framesSent === 0 || state !== 'open') return [];
  const { callsInFlight, exports, imports, channels, heldResults } = statistics;
  const counts = { callsInFlight, exports, imports, channels, heldResults, producers: life.producers };
  return Object.entries(counts).flatMap(([what, count]) =>
    count === 0 ? [] : [`client ${number} has ${count} ${what} left`],
  );
}
