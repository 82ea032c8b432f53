import type { Caller } from '@lumenize/rpc/server';
import { type Ask, PLANNED } from '../src/programs/keys.ts';
import type { Check, MethodSpec, WaySpec } from '../src/programs/program.ts';
import type { Identity } from './identity.ts';

type Member = (...args: unknown[]) => unknown;

/** What `static rpc` is to say of a member. */
export function declarationOf(spec: MethodSpec | WaySpec): { guard?: Member } {
  const { delivery, guard, schema } = spec;
  const isList = 'schemaList' in spec && spec.schemaList === true;
  return {
    ...(delivery !== 'default' && { [delivery]: true }),
    ...(guard !== 'none' && { guard: guardOf(spec) }),
    ...(schema !== 'none' && {
      args: isList ? [schemaOf('sync'), schemaOf(schema), schemaOf('sync')] : schemaOf(schema),
    }),
  };
}

/** The guard that a base class has for a method. */
export function baseGuardOf({ baseGuard = 'none' }: MethodSpec): Member {
  return checked(baseGuard, (_caller, _key, given) => (given as Ask | undefined)?.refuse !== 'baseGuard');
}

function guardOf(spec: MethodSpec | WaySpec): Member {
  const denied = 'denies' in spec ? `${spec.denies}` : undefined;
  return checked(spec.guard, (caller, _key, given) => {
    const ask = given as Ask | undefined;
    // As the method will get them.
    if (ask !== undefined && spec.schema !== 'none' && !ask.checked) return false;
    if (ask?.refuse === 'truthy') return 'true enough';
    return ask?.refuse !== 'guard' && (caller as Caller<Identity>).identity.client !== denied;
  });
}

/** A schema of a list of arguments, or of one of them. */
function schemaOf(form: Check): object {
  const one = (arg: unknown) => (isAsk(arg) ? { ...arg, checked: true } : arg);
  const validate = checked(form, (value) => {
    const asks = (Array.isArray(value) ? value : [value]).filter(isAsk);
    if (asks.some(({ refuse }) => refuse === 'schema')) return { issues: [{ message: PLANNED }] };
    return { value: Array.isArray(value) ? value.map(one) : one(value) };
  });
  return { '~standard': { version: 1, vendor: 'simulation', validate } };
}

function isAsk(value: unknown): value is Ask {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'count');
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
