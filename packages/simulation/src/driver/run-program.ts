import type { ConnectOptions } from '@lumenize/rpc';
import type { ObjectReport } from '../programs/keys.ts';
import type { Program, Step } from '../programs/program.ts';
import type { Fault, World } from '../world.ts';
import { CallMaker } from './calls.ts';
import { ProgramClient } from './client.ts';
import { finish } from './finish.ts';
import type { History } from './history.ts';
import { until } from './until.ts';

/** Options for running programs in a world. */
export interface RunOptions {
  readonly patience: ConnectOptions;
  /** The longest time to wait at the end, in milliseconds of the world. */
  readonly longestMs: number;
  /** True if each step waits for all outcomes of the step before it, instead of for its time. */
  readonly oneByOne?: boolean;
}

/** The record of a run. */
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
  const { maxMessageBytes } = program.target.options;
  // Both sides must agree on this limit.
  const patience = { ...options.patience, ...(maxMessageBytes !== undefined && { limits: { maxMessageBytes } }) };
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
      // A client that leaves says so, but receives no answer.
      if (step.kind === 'close' || step.kind === 'reload') await world.sleep(SAID_MS);
    }
  }
  return { history, report: await finish(world, program, { clients, maker, history }, options.longestMs) };
}

async function define(world: World, { target }: Program): Promise<void> {
  await world.request(`/control/${world.object}/define`, { method: 'POST', body: JSON.stringify(target) });
}

async function perform(
  step: Step,
  world: World,
  clients: readonly ProgramClient[],
  maker: CallMaker,
  history: History,
): Promise<void> {
  if (step.kind === 'fault') return bringAbout(step.fault, world, clients.length, history);
  if (step.kind === 'break') {
    history.outageMs += step.ms;
    history.faults.break = (history.faults.break ?? 0) + 1;
    return void (await world.request(`/control/${world.object}/break?ms=${step.ms}`));
  }
  const client = clients[step.client % clients.length];
  switch (step.kind) {
    case 'calls':
      return world.as(client.number, () => maker.turn(client, step.calls));
    case 'dispose':
      return client.dispose();
    case 'leave':
      return client.leave();
    case 'authenticate':
      return client.authenticate();
    case 'become':
      return client.become(step.user, step.silently);
    case 'close':
      client.end('close', step.user);
      return client.connect();
    case 'reload':
      client.end('reload', step.user);
      maker.forget(client);
      await world.fault({ kind: 'reload', client: client.number });
      return client.connect();
    default:
      step satisfies never;
  }
}

/** Brings a fault about. Reloading a client is a step of its own, because the client has to connect. */
async function bringAbout(drawn: Fault, world: World, clients: number, history: History): Promise<void> {
  const fault = 'client' in drawn ? { ...drawn, client: drawn.client % clients } : drawn;
  if (!world.can(fault)) return;
  history.faults[fault.kind] = (history.faults[fault.kind] ?? 0) + 1;
  if ('ms' in fault && fault.kind !== 'clock' && fault.kind !== 'delay') history.outageMs += fault.ms;
  if (fault.kind === 'deploy') history.deployedAt ??= world.now();
  await world.fault(fault);
}

/** The time in which a client says that it leaves, in milliseconds. */
const SAID_MS = 100;

/**
 * Returns a function that tells whether a step that is about to be made has had all its consequences. Then clients that
 * lost a connection have another one, and open subscriptions only wait.
 */
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
