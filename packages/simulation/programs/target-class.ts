import { callContext, RpcTarget } from '@lumenize/rpc/server';
import { type Ask, methodName, PLANNED, wayName } from '../src/programs/keys.ts';
import { isPlace, methodOfVersion } from '../src/programs/normalize.ts';
import type { MethodSpec, Shape, TargetSpec, Wait } from '../src/programs/program.ts';
import { baseGuardOf, declarationOf } from './declared.ts';
import type { Host } from './host.ts';
import type { Identity } from './identity.ts';
import { give } from './returned.ts';
import { take, takeAtOnce } from './taken.ts';

type Member = (...args: unknown[]) => unknown;

/** A class whose instances know whose they are, where they serve a connection. */
export type ProgramTargetClass = new (identity?: Identity) => RpcTarget;

/** Makes a version of the class that a program describes, without generating code. */
export function createTargetClass(spec: TargetSpec, version: number, host: Host): ProgramTargetClass {
  const hidden = spec.methods.flatMap((method, index) => (method.hidden ? [methodName(index)] : []));
  const rpc: Record<string, object> = {};
  const basic: Record<string, object> = { probe: { readOnly: true } };
  class BasicTarget extends RpcTarget {
    static readonly rpc = basic;
    readonly identity: Identity | undefined;
    /** Whether it is in a result, and so is to be disposed of once. */
    #isCounted: boolean;
    constructor(identity?: Identity, isCounted = false) {
      super();
      this.identity = identity;
      this.#isCounted = isCounted;
      if (isCounted) host.live('targets', 1);
      for (const name of hidden) Object.defineProperty(this, name, { value: undefined, enumerable: true });
    }
    /** What this side holds for the caller. */
    probe() {
      return callContext().counts;
    }
    [Symbol.dispose](): void {
      if (this.#isCounted) host.live('targets', -1);
      this.#isCounted = false;
      if (this.identity !== undefined) host.defect('the target of a connection was disposed of');
    }
  }
  class ProgramTarget extends BasicTarget {
    static override readonly rpc = rpc;
  }
  for (const index of spec.methods.keys()) {
    const method = methodOfVersion(spec, index, version);
    if (method === undefined) continue;
    const name = methodName(index);
    const prototype = index % 2 === 0 ? BasicTarget.prototype : ProgramTarget.prototype;
    const value = createMethod(name, method, host);
    Object.defineProperty(prototype, name, { configurable: true, writable: true, value });
    // Guards of both classes are asked. A class that inherits a method may declare it, too.
    const baseGuard = method.baseGuard !== undefined && method.baseGuard !== 'none' ? baseGuardOf(method) : undefined;
    if (index % 2 === 0) basic[name] = baseGuard === undefined ? { idempotent: true } : { guard: baseGuard };
    // What it says of a method outdoes what its base class says.
    rpc[name] = { ...(index % 2 === 0 && { idempotent: false }), ...declarationOf(method) };
  }
  for (const [index, way] of spec.ways.entries()) {
    const name = wayName(index);
    const lead = shaped(
      way.shape,
      way.wait,
      host,
      () => {},
      () => new ProgramTarget(undefined, !isPlace(way)),
    );
    const descriptor = way.isGetter ? { get: lead as () => unknown } : { value: lead, writable: true };
    Object.defineProperty(ProgramTarget.prototype, name, { configurable: true, ...descriptor });
    const { guard, args, ...delivery } = declarationOf(way) as Record<string, unknown>;
    rpc[name] = { ...(guard !== undefined && { guard }), ...(!way.isGetter && { args, ...delivery }) };
  }
  return ProgramTarget;
}

function createMethod(name: string, spec: MethodSpec, host: Host): Member {
  const enter = (key: unknown) => {
    lookAround(name, host);
    if (spec.does !== 'read') host.ledger.add(key as string, 'begin', name, 0);
  };
  const finish = (value: number, key: string, ask: Ask, extra: unknown) => {
    if (spec.schema !== 'none' && !ask.checked) host.defect(`${name} was given arguments as they came`);
    if (ask.refuse === 'throw') throw new RangeError(PLANNED);
    if (spec.ends === 'object') host.abort();
    else if (spec.ends !== undefined) host.closeSockets(callContext().caller!.connectionId, spec.ends);
    return give(spec.returns, value, key, ask, extra, host);
  };
  const act = (key: string, ask: Ask, extra: unknown): unknown => {
    const value = effect(name, spec, key, extra, host);
    takeAtOnce(spec.takes, extra, key, ask.count);
    return finish(value, key, ask, extra);
  };
  if (spec.shape === 'sync') return shaped('sync', 'none', host, enter, act as Member);
  // The library has to undo what a method did that is declared to run exactly once and returns a promise nevertheless.
  if (spec.delivery === 'exactlyOnce') {
    return (...args) => {
      enter(args[0]);
      return Promise.resolve((act as Member)(...args));
    };
  }
  const actLater = async (key: string, ask: Ask, extra: unknown): Promise<unknown> => {
    const value = spec.does === 'counter' ? await raise(name, key, host) : effect(name, spec, key, extra, host);
    await take(spec.takes, extra, key, ask.count);
    return finish(value, key, ask, extra);
  };
  return shaped(spec.shape, spec.wait, host, enter, actLater as Member);
}

/** Has an effect at once, and returns its number. */
function effect(name: string, spec: MethodSpec, key: string, extra: unknown, host: Host): number {
  const { ledger, topics } = host;
  if (spec.does === 'read') return 0;
  const value = ledger.count(name) + 1;
  if (spec.does === 'publish') {
    const place = value % topics.length;
    ledger.add(key, 'publish', `t${place}`, topics[place].publish({ key, value }));
  }
  ledger.add(typeof extra === 'number' && key.endsWith('*') ? `${key}${extra}` : key, 'effect', name, value);
  return value;
}

/** Raises a counter as most people write it: reads, awaits, writes, awaits. */
async function raise(name: string, key: string, { storage, ledger }: Host): Promise<number> {
  const value = ((await storage.get<number>(name)) ?? 0) + 1;
  ledger.add(key, 'effect', name, value);
  await storage.put(name, value);
  return value;
}

const LONGEST_TURN_MS = 500;

/** Looks at what holds whenever a method is called. */
function lookAround(name: string, { options, defect }: Host): void {
  const { caller, counts } = callContext();
  // What came in time may have waited for its turn.
  if (Date.now() > (caller?.expiresAt ?? Number.POSITIVE_INFINITY) + LONGEST_TURN_MS)
    defect(`${name} was called for who has expired`);
  if (counts.exports > (options.maxReferences ?? Number.POSITIVE_INFINITY))
    defect(`${counts.exports} references are held`);
}

function shaped(shape: Shape, wait: Wait, host: Host, enter: (key: unknown) => void, act: Member): Member {
  switch (shape) {
    case 'sync':
      return (...args) => {
        enter(args[0]);
        return act(...args);
      };
    case 'promise':
      return (...args) => {
        enter(args[0]);
        return waited(wait, host, args[1] as Ask).then(() => act(...args));
      };
    case 'async':
      return async (...args) => {
        enter(args[0]);
        if (wait !== 'none') await waited(wait, host, args[1] as Ask);
        return act(...args);
      };
    default:
      return shape satisfies never;
  }
}

const LONG_MS = 2000;

function waited(wait: Wait, { storage, defect }: Host, ask: Ask): Promise<unknown> {
  switch (wait) {
    case 'none':
    case 'microtask':
      return Promise.resolve();
    case 'timer':
      return new Promise((resolve) => setTimeout(resolve, 10));
    case 'storage':
      return storage.get('nothing');
    case 'abort': {
      const { signal } = callContext();
      return new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          resolve();
          if (ask.givesUpAfter !== undefined) defect('a method was not told that its caller gave up');
        }, LONG_MS);
        const stop = () => {
          clearTimeout(timer);
          resolve();
        };
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop);
      });
    }
    default:
      return wait satisfies never;
  }
}
