import type { SessionCounts } from '@lumenize/rpc/server';
import { isNobody, nameOfUser, type ObjectReport } from '../programs/keys.ts';
import type { Program } from '../programs/program.ts';
import type { World } from '../world.ts';
import type { CallMaker } from './calls.ts';
import type { ProgramClient } from './client.ts';
import { type History, toldOf } from './history.ts';
import { until } from './until.ts';

/** The state of a program that has been running. */
export interface Going {
  readonly clients: readonly ProgramClient[];
  readonly maker: CallMaker;
  readonly history: History;
}

/** The time within which a side reports that it has released something, in milliseconds. */
const SOON_MS = 2000;
/** The longest time until the other side knows of a collection or a message, in milliseconds. */
const SAID_MS = 200;

/**
 * Waits until everything that a program began has ended, releases everything, and records what is left. Returns the
 * object's report after that.
 */
export async function finish(world: World, program: Program, going: Going, longestMs: number): Promise<ObjectReport> {
  const { clients, maker, history } = going;
  const isSettled = () => history.calls.every(({ ok, isForgotten }) => ok !== undefined || isForgotten);
  await until(world, isSettled, longestMs);
  const { newest } = await report(world);
  for (const { subscription, life, who } of history.calls) {
    const { user } = clients[life.client];
    // A connection goes on as long as it was not told, and not lost.
    const isTold = life.changes.some(({ at, until }) => until < Infinity || life.losses.some((lost) => lost > at));
    if (subscription?.isOpen && isTold && !who.includes(nameOfUser(life.client, user))) subscription.isOfAnother = true;
  }
  await until(world, () => behind(history, newest).length === 0, longestMs);
  history.left.push(...behind(history, newest));
  for (const client of clients) {
    client.leave();
    client.dispose();
  }
  await until(world, () => maker.pending.size === 0, longestMs);
  const isRefused = ({ number, user }: ProgramClient) =>
    program.clients[number].isNobody || (isNobody(user) && !program.target.options.anyone);
  const served = clients.filter((client) => !isRefused(client));
  const isEmpty = () => served.every((client) => leftAt(client).length === 0);
  await until(world, isEmpty, Math.min(longestMs, SOON_MS));
  let left = await leftEverywhere(world, served);
  // Things passed with a refused call, and results that nobody awaited, are released by garbage collection. Results
  // that arrive late are released a little later, and the engine may still hold what code that has just run has used.
  for (let look = 0; left.length > 0 && look < MOST_LOOKS && world.can({ kind: 'collect' }); look++) {
    await world.fault({ kind: 'collect' });
    // An object reports this with its next message, and not at all once it has left memory.
    await world.sleep(SAID_MS);
    await until(world, isEmpty, Math.min(longestMs, SOON_MS));
    left = await leftEverywhere(world, served);
  }
  history.left.push(...left);
  for (const client of clients) client.finish();
  await world.calm();
  const last = await lastReport(world, longestMs);
  // The report woke the object.
  await world.calm();
  return last;
}

/** Returns what is left in the clients, and in the object for them. */
async function leftEverywhere(world: World, clients: readonly ProgramClient[]): Promise<string[]> {
  const left: string[] = [];
  await world.sleep(SAID_MS);
  for (const client of clients) left.push(...(await probe(world, client)));
  return [...left, ...clients.flatMap(leftAt)];
}

/** Makes a last call of a client, which must succeed. Returns descriptions of what the object holds for the client. */
async function probe(world: World, client: ProgramClient): Promise<string[]> {
  const { number, stub, connection } = client;
  if (connection.state === 'closed' || connection.statistics.framesSent === 0) return [];
  try {
    const counts = (await world.as(number, () => stub.probe())) as SessionCounts;
    // Results of steps are kept as long as there is room for them.
    return Object.entries(counts).flatMap(([what, count]) =>
      count === 0 || what === 'heldResults' ? [] : [`the object has ${count} ${what} of client ${number} left`],
    );
  } catch (error) {
    const { code, message } = toldOf(error);
    return [`the last call of client ${number} ended with ${code} ${message}`];
  }
}

/** Requests the object's report, and again if the object cannot answer for now. */
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

/** Returns the object's report when all connections have ended, or should have ended. */
async function lastReport(world: World, longestMs: number): Promise<ObjectReport> {
  let last = await report(world);
  const end = world.now() + longestMs;
  while ((last.metrics.connections > 0 || last.metrics.callsInFlight > 0) && world.now() < end) {
    await world.sleep(100);
    last = await report(world);
  }
  return last;
}

/** Returns the subscribers that have not received the newest event of their topic. */
function behind({ calls }: History, newest: readonly number[]): string[] {
  return calls.flatMap(({ subscription, life, key }) => {
    if (!subscription?.isOpen || subscription.isOfAnother || life.ended) return [];
    const { topic, since, items } = subscription;
    const last = items.at(-1)?.sequence ?? since ?? Number.POSITIVE_INFINITY;
    return last >= newest[topic] ? [] : [`${key} came to event ${last} of ${newest[topic]}`];
  });
}

/** Returns what the tables of a client hold. */
function leftAt({ number, connection, life }: ProgramClient): string[] {
  const { state, statistics } = connection;
  if (statistics.framesSent === 0 || state !== 'open') return [];
  const { callsInFlight, exports, imports, channels } = statistics;
  const counts = { callsInFlight, exports, imports, channels, producers: life.producers };
  return Object.entries(counts).flatMap(([what, count]) =>
    count === 0 ? [] : [`client ${number} has ${count} ${what} left`],
  );
}
