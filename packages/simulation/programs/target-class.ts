import { callContext, RpcTarget } from '@lumenize/rpc/server';
import { type Ask, methodName, PLANNED, wayName } from '../src/programs/keys.ts';
import type { Check, MethodSpec, Shape, TargetSpec, Wait, WaySpec } from '../src/programs/program.ts';
import type { Host } from './host.ts';
import { give } from './returned.ts';
import { take, takeAtOnce } from './taken.ts';

type Member = (...args: unknown[]) => unknown;

/** Makes the class that a program describes, without generating code. */
export function createTargetClass(spec: TargetSpec, host: Host): new () => RpcTarget {
  const hidden = spec.methods.flatMap((method, index) => (method.hidden ? [methodName(index)] : []));
  const rpc: Record<string, object> = {};
  class ProgramTarget extends RpcTarget {
    static readonly rpc = rpc;
    constructor() {
      super();
      for (const name of hidden) Object.defineProperty(this, name, { value: undefined, enumerable: true });
    }
  }
  const define = (name: string, descriptor: PropertyDescriptor) =>
    Object.defineProperty(ProgramTarget.prototype, name, { configurable: true, ...descriptor });
  for (const [index, method] of spec.methods.entries()) {
    const name = methodName(index);
    define(name, { value: createMethod(name, method, host), writable: true });
    rpc[name] = declarationOf(method);
  }
  for (const [index, way] of spec.ways.entries()) {
    const name = wayName(index);
    const lead = shaped(way.shape, way.wait, host, () => {}, () => new ProgramTarget());
    define(name, way.isGetter ? { get: lead as () => unknown } : { value: lead, writable: true });
    rpc[name] = way.isGetter ? { guard: guardOf(way.guard) } : declarationOf(way);
    if (way.isGetter && way.guard === 'none') delete rpc[name];
  }
  return ProgramTarget;
}

function createMethod(name: string, spec: MethodSpec, host: Host): Member {
  const enter = (key: unknown) => {
    if (spec.does !== 'read') host.ledger.add(key as string, 'begin', name, 0);
  };
  const finish = (value: number, key: string, ask: Ask, extra: unknown) => {
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
    const value =
      spec.does === 'counter' ? await raise(name, key, host) : effect(name, spec, key, extra, host);
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
  const written = storage.put(name, value);
  ledger.add(key, 'effect', name, value);
  await written;
  return value;
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
        return waited(wait, host).then(() => act(...args));
      };
    case 'async':
      return async (...args) => {
        enter(args[0]);
        if (wait !== 'none') await waited(wait, host);
        return act(...args);
      };
    default:
      return shape satisfies never;
  }
}

function waited(wait: Wait, { storage }: Host): Promise<unknown> {
  switch (wait) {
    case 'none':
    case 'microtask':
      return Promise.resolve();
    case 'timer':
      return new Promise((resolve) => setTimeout(resolve, 10));
    case 'storage':
      return storage.get('nothing');
    default:
      return wait satisfies never;
  }
}

function declarationOf({ delivery, guard, schema }: MethodSpec | WaySpec): object {
  return {
    ...(delivery !== 'default' && { [delivery]: true }),
    ...(guard !== 'none' && { guard: guardOf(guard) }),
    ...(schema !== 'none' && { args: schemaOf(schema) }),
  };
}

function guardOf(form: Check): Member {
  return checked(form, (_caller, _key, ask) => (ask as Ask | undefined)?.refuse !== 'guard');
}

function schemaOf(form: Check): object {
  const validate = checked(form, (args) => {
    const [, ask] = args as [unknown, Ask | undefined];
    return ask?.refuse === 'schema' ? { issues: [{ message: PLANNED }] } : { value: args };
  });
  return { '~standard': { version: 1, vendor: 'simulation', validate } };
}

/** Gives a check its form. */
function checked(form: Check, check: Member): Member {
  switch (form) {
    case 'none':
    case 'sync':
      return check;
    case 'promise':
      return (...args) => Promise.resolve().then(() => check(...args));
    case 'async':
      return async (...args) => check(...args);
    case 'late':
      return async (...args) => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        return check(...args);
      };
    default:
      return form satisfies never;
  }
}
