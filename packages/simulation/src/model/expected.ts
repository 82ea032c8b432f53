import type { CallRecord } from '../driver/history.ts';
import { PLANNED } from '../programs/keys.ts';
import { isPlace } from '../programs/normalize.ts';
import type { Program, Returning } from '../programs/program.ts';
import type { Facts } from './facts.ts';

/**
 * How a call that reaches its method ends, regardless of connections: success, a code, or the error that the method
 * throws. `either` is success or a refusal.
 */
export type Ending = 'ok' | 'planned' | 'refused' | 'either' | { readonly code: string };

/** Results that cannot be stored, so a method that runs exactly once cannot return them. */
const BY_REFERENCE: readonly Returning[] = [
  'function',
  'promise',
  'generator',
  'stream',
  'bytes',
  'writable',
  'subscription',
];

/** Returns how a call ends if nothing interferes. */
export function endingOf({ program }: Facts, call: CallRecord): Ending {
  const { method, spec, life } = call;
  const { refuse } = spec;
  const isDenied = spec.ways.some((way) => {
    const { guard, denies } = program.target.ways[way];
    return guard !== 'none' && denies === life.client;
  });
  if (isNobody(program, call)) return { code: 'DENIED' };
  if (isDenied && call.who[0] !== 'nobody') return { code: 'DENIED' };
  if (call.onItsWay) return 'ok';
  if (method.hidden) return { code: 'METHOD_NOT_FOUND' };
  if (method.schema !== 'none') {
    if (refuse === 'schema' || (refuse === 'arguments' && method.schemaList)) return { code: 'INVALID_ARGUMENTS' };
  }
  if (method.guard !== 'none' && (refuse === 'guard' || refuse === 'truthy')) return { code: 'DENIED' };
  // Guards add up, whatever else the class says of the method.
  if ((method.baseGuard ?? 'none') !== 'none' && refuse === 'baseGuard') return { code: 'DENIED' };
  // What runs exactly once does so on the connection's target or on a place, with plain values.
  if (method.delivery === 'exactlyOnce' && !isPlain(program, call)) {
    // Each call of a chain with a limit is an entry of its own.
    return call.uses === undefined && (spec.limit === undefined || spec.ways.length === 0) ? 'refused' : 'either';
  }
  // The result would come later, so it cannot be part of one transaction.
  if (method.delivery === 'exactlyOnce' && method.shape === 'promise') return 'refused';
  if (refuse === 'throw') return 'planned';
  if (method.delivery === 'exactlyOnce' && BY_REFERENCE.includes(method.returns)) return { code: 'NOT_CLONEABLE' };
  if (refuse === 'later' && method.returns === 'promise') return 'planned';
  return 'ok';
}

/** Returns true if the target of a call is a place, or that of the connection, and its arguments are values. */
function isPlain({ target }: Program, { spec, uses }: CallRecord): boolean {
  const isApart = spec.limit !== undefined && spec.ways.length > 0;
  return uses === undefined && !isApart && spec.ways.every((way) => isPlace(target.ways[way]));
}

/** Returns true if a call is of somebody whom the Worker does not let in. */
function isNobody({ clients, target }: Program, { life, who }: CallRecord): boolean {
  return clients[life.client].isNobody === true || (who[0] === 'nobody' && !target.options.anyone);
}

/** Returns true if a call ended as `endingOf` says. */
export function endedSo({ ok, told }: CallRecord, ending: Ending): boolean {
  if (ending === 'either') return ok !== undefined;
  if (ending === 'ok') return ok === true;
  if (ok !== false) return false;
  if (ending === 'planned') return told!.message === PLANNED;
  return ending === 'refused' || told!.code === ending.code;
}

/** Returns true if, according to its declarations, a call is sent again until it has a result. */
export function isSafe({ program }: Facts, { method, spec, direct, uses, mapped }: CallRecord): boolean {
  if (!direct || uses !== undefined || mapped !== undefined || method.takes !== 'value') return false;
  if (method.delivery === 'default') return false;
  // A result of a way is lost with its connection, and so is a call that waits for it.
  return spec.ways.every((way) => program.target.ways[way].delivery !== 'default');
}
