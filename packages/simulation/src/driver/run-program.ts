import type { ConnectOptions } from '@lumenize/rpc';
import type { ObjectReport } from '../programs/keys.ts';
import type { Program, Step } from '../programs/program.ts';
import type { Fault, World } from '../world.ts';
import { CallMaker } from './calls.ts';
import { ProgramClient } from './client.ts';
import type { History } from './history.ts';

/** How to run programs in a world. */
export interface RunOptions {
  readonly patience: ConnectOptions;
  /** How long anything may take in the end, in milliseconds of the world. */
  readonly longestMs: number;
  /** Whether each step waits for the one before to have had all its outcomes, in place of its time. */
  readonly oneByOne?: boolean;
}

/** What a run left. */
export interface Run {
  readonly history: History;
  readonly report: ObjectReport;
}

/** Runs a program in a world that has just begun. */
export function runProgram(program: Program, world: World, options: RunOptions): Promise<Run> {
  return world.run(() => runWithin(program, world, options));
}

async function runWithin(program: Program, world: World, options: RunOptions): Promise<Run> {
  await define(world, program);
  const history: History = { calls: [], lives: [], faults: {}, outageMs: 0, left: [] };
  const { maxFrameBytes } = program.target.options;
  // The two sides have to agree on this one.
  const patience = { ...options.patience, ...(maxFrameBytes !== undefined && { limits: { maxFrameBytes } }) };
  const clients = program.clients.map(
    (spec, number) => new ProgramClient(world, number, spec, patience, history.lives),
  );
  const maker = new CallMaker(world, program, history);
  const begun = world.now();
  for (const step of program.steps) {
    if (!options.oneByOne) await world.sleep(Math.max(0, begun + step.at - world.now()));
    const isOver = options.oneByOne ? whenOver(step, maker, clients) : undefined;
    await perform(step, world, clients, maker, history);
    if (isOver !== undefined) {
      await until(world, isOver, options.longestMs);
      // A client that leaves says so, and nobody answers.
      if (step.kind === 'close' || step.kind === 'reload') await world.sleep(SAID_MS);
    }
  }
  await world.calm();
  await until(
    world,
    () => history.calls.every(({ ok, life }) => ok !== undefined || life.ended === 'reload'),
    options.longestMs,
  );
  const { newest } = await report(world);
  await until(world, () => behind(history, newest).length === 0, options.longestMs);
  history.left.push(...behind(history, newest));
  for (const client of clients) {
    client.leave();
    client.dispose();
  }
  await until(world, () => maker.pending.size === 0, options.longestMs);
  await lookAtTables(world, clients, history, options.longestMs);
  for (const client of clients) client.finish();
  await world.calm();
  const last = await lastReport(world, options.longestMs);
  // To ask woke the object.
  await world.calm();
  return { history, report: last };
}

async function define(world: World, { target }: Program): Promise<void> {
  await world.request(`/control/${world.object}/define`, { method: 'POST', body: JSON.stringify(target) });
}

async function report(world: World): Promise<ObjectReport> {
  const answer = await world.request(`/control/${world.object}/report`);
  if (!answer.ok) throw new Error(`the object does not report: ${await answer.text()}`);
  return (await answer.json()) as ObjectReport;
}

/** What the object says when all connections have ended, or should have. */
async function lastReport(world: World, longestMs: number): Promise<ObjectReport> {
  const end = world.now() + longestMs;
  for (;;) {
    const last = await report(world);
    const { connections, callsInFlight } = last.metrics;
    if ((connections === 0 && callsInFlight === 0) || world.now() >= end) return last;
    await world.sleep(POLL_MS);
  }
}

async function perform(
  step: Step,
  world: World,
  clients: readonly ProgramClient[],
  maker: CallMaker,
  history: History,
): Promise<void> {
  if (step.kind === 'fault') return bringAbout(step.fault, world, clients.length, history);
  const client = clients[step.client % clients.length];
  switch (step.kind) {
    case 'calls':
      return world.as(client.number, () => maker.turn(client, step.calls));
    case 'dispose':
      return client.dispose();
    case 'leave':
      return client.leave();
    case 'authenticate':
      return void world.as(client.number, () => client.connection.authenticate().catch(() => {}));
    case 'close':
      client.end('close');
      return client.connect();
    case 'reload':
      client.end('reload');
      maker.forget(client.life);
      await world.fault({ kind: 'reload', client: client.number });
      return client.connect();
    default:
      step satisfies never;
  }
}

/** A client that is loaded again is a step of its own: it has to connect. */
async function bringAbout(drawn: Fault, world: World, clients: number, history: History): Promise<void> {
  const fault = 'client' in drawn ? { ...drawn, client: drawn.client % clients } : drawn;
  if (!world.can(fault)) return;
  history.faults[fault.kind] = (history.faults[fault.kind] ?? 0) + 1;
  if ('ms' in fault && fault.kind !== 'clock' && fault.kind !== 'delay') history.outageMs += fault.ms;
  await world.fault(fault);
}

/** Waits until something holds, or too long: then it will be found wrong. */
async function until(world: World, holds: () => boolean, longestMs: number): Promise<void> {
  const end = world.now() + longestMs;
  while (!holds() && world.now() < end) await world.sleep(POLL_MS);
}

const POLL_MS = 10;
const SAID_MS = 100;

/** Who follows a topic and has not come to its newest event. */
function behind({ calls }: History, newest: readonly number[]): string[] {
  return calls.flatMap(({ subscription, life, key }) => {
    if (!subscription?.isOpen || life.ended) return [];
    const { topic, since, items } = subscription;
    const last = items.at(-1)?.sequence ?? since ?? Number.POSITIVE_INFINITY;
    return last >= newest[topic] ? [] : [`${key} came to event ${last} of ${newest[topic]}`];
  });
}

/** Says when a step that is about to be made has had all its consequences: who loses a connection has another, and what is open only waits. */
function whenOver(step: Step, maker: CallMaker, clients: readonly ProgramClient[]): () => boolean {
  const isQuiet = () => [...maker.pending.values()].every(({ subscription }) => subscription?.isOpen);
  if (step.kind !== 'fault' || step.fault.kind === 'evict') return isQuiet;
  const { fault } = step;
  const losing = clients.filter(({ number }) => !('client' in fault) || fault.client % clients.length === number);
  const open = losing.filter(({ connection }) => connection.state === 'open');
  const losses = open.map(({ life }) => life.losses.length);
  const hasLost = (client: ProgramClient, place: number) =>
    client.life.losses.length > losses[place] && SETTLED.has(client.connection.state);
  return () => open.every(hasLost) && isQuiet();
}

const SETTLED: ReadonlySet<string> = new Set(['open', 'closed', 'idle']);

/** Notes what the library's tables still hold, when everything has been let go of and both sides have been told. */
async function lookAtTables(
  world: World,
  clients: readonly ProgramClient[],
  history: History,
  longestMs: number,
): Promise<void> {
  const held = () => clients.flatMap(leftAt);
  const isEmpty = () => held().length === 0;
  await until(world, isEmpty, Math.min(longestMs, SOON_MS));
  // What a refused call has passed, and what nobody waited for, goes with the garbage.
  if (!isEmpty() && world.can({ kind: 'collect' })) {
    await world.fault({ kind: 'collect' });
    await until(world, isEmpty, Math.min(longestMs, SOON_MS));
  }
  history.left.push(...held());
}

const SOON_MS = 2000;

/** What a client's tables hold. */
function leftAt({ number, connection, live }: ProgramClient): string[] {
  const { state, statistics } = connection;
  if (statistics.framesSent === 0 || state !== 'open') return [];
  const { callsInFlight, exports, imports, channels, heldResults } = statistics;
  const counts = { callsInFlight, exports, imports, channels, heldResults, producers: live };
  return Object.entries(counts).flatMap(([what, count]) =>
    count === 0 ? [] : [`client ${number} has ${count} ${what} left`],
  );
}
