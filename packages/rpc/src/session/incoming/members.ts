import { isNativeStub } from '#platform';
import { RpcError } from '../../errors/rpc-error.ts';
import { isPlainData, isReadOnlyMethod, notFound, readData } from '../data-members.ts';
import { nodeOf } from '../outgoing/node.ts';
import { isTarget } from '../references/by-reference.ts';
import type { RunningCall } from './call-context.ts';
import { runIn, runThroughout } from './current-call.ts';
import { type AnyMember, type Declared, declarationsOf, isForbidden, memberOf, support } from './declarations.ts';

/**
 * Calls the method that a path of one name leads to.
 * @throws {RpcError} `METHOD_NOT_FOUND` if the receiver declares no such method, or `OUTCOME_UNKNOWN` if the call may
 * have run before; nothing runs then
 */
export function callMember(receiver: unknown, name: string, args: unknown[], call?: RunningCall): unknown {
  const members = declarationsOf(receiver);
  const declared = members && memberOf(receiver as object, name, members);
  const method = members === undefined ? methodOf(receiver, name) : declared?.method;
  if (method === undefined) {
    const refusal = lacking('method', name, receiver, members);
    // An earlier version of the class may have had the method, and run it.
    throw call?.refused?.(refusal) ?? refusal;
  }
  // Learned from earlier calls: a method that has ever returned a promise may await, and ask for its call after that.
  const result =
    call && !call.isResent && declared?.isPrompt && !declared.isDelivered
      ? runIn(call, method, receiver, args)
      : run(call, declared, method, receiver, name, args);
  if (declared !== undefined) {
    // A promise may be of another realm.
    if (typeof (result as { then?: unknown } | null | undefined)?.then === 'function') declared.isPrompt = false;
    else declared.isPrompt ??= true;
  }
  return result;
}

function run(
  call: RunningCall | undefined,
  declared: Declared | undefined,
  method: AnyMember,
  receiver: unknown,
  name: string,
  args: unknown[],
): unknown {
  const deliver = call?.isResent || declared?.isDelivered ? support?.deliver : undefined;
  // Without a call, `deliver` refuses a method that has a check, because the check cannot be made.
  if (call === undefined) {
    return deliver === undefined
      ? Reflect.apply(method, receiver, args)
      : deliver(call, declared, method, receiver, name, args);
  }
  const enter = declared?.isPrompt ? runIn : runThroughout;
  return deliver === undefined
    ? enter(call, method, receiver, args)
    : enter(call, deliver, undefined, [call, declared, method, receiver, name, args], true);
}

/** Returns true if a value has a method of that name that may be called remotely. */
export function hasMethod(receiver: unknown, name: string): boolean {
  return (isTarget(receiver) ? memberOf(receiver, name)?.method : methodOf(receiver, name)) !== undefined;
}

/**
 * Calls a function that was passed by reference.
 * @throws {RpcError} `METHOD_NOT_FOUND` if the value is not a function
 */
export function callFunction(value: unknown, args: unknown[], call?: RunningCall): unknown {
  if (typeof value === 'function') return run(call, undefined, value as AnyMember, undefined, 'a function', args);
  throw new RpcError('METHOD_NOT_FOUND', 'the result is no function that can be called');
}

/**
 * Reads the property that a path of one name leads to: a getter of a target, or an own property of plain data.
 * @throws {RpcError} `METHOD_NOT_FOUND` if the receiver has no such property
 */
export function readMember(receiver: unknown, name: string, call?: RunningCall): unknown {
  const members = declarationsOf(receiver);
  if (members !== undefined) {
    const declared = memberOf(receiver as object, name, members);
    const getter = declared?.getter;
    if (getter === undefined) throw lacking('property', name, receiver, members);
    return run(call, declared, getter, receiver, name, []);
  }
  return isElsewhere(receiver, name) && !isForbidden(name)
    ? (receiver as Record<string, unknown>)[name]
    : readData(receiver, name);
}

/**
 * Returns a method of a value that is not a target: a function in data, a reading method of a collection, or any method
 * of a stub.
 */
function methodOf(receiver: unknown, name: string): Declared['method'] {
  if (isForbidden(name)) return undefined;
  // The stub of a result cannot be called like a function before the result has arrived. It is called with `call`
  // instead, as in JavaScript.
  if (typeof receiver === 'function' && name === 'call') return (_this, ...args) => callFunction(receiver, args);
  const fields = receiver as Record<string, Declared['method']>;
  if (isElsewhere(receiver, name)) return (...args) => fields[name]?.(...args);
  const isOwn = isPlainData(receiver) && Object.hasOwn(receiver, name);
  return (isOwn && typeof fields[name] === 'function') || (!isOwn && isReadOnlyMethod(receiver, name))
    ? fields[name]
    : undefined;
}

/**
 * Returns true if the member of that name is elsewhere. What every object has, a stub of the platform's own has on this
 * side, where a caller could change the stub by it.
 */
function isElsewhere(receiver: unknown, name: string): boolean {
  return nodeOf(receiver) !== undefined || (isNativeStub(receiver) && !(name in Object.prototype));
}

function lacking(
  kind: string,
  name: string,
  receiver: unknown,
  members: ReadonlyMap<string, Declared> | undefined,
): RpcError {
  const declared = members?.get(name);
  let why: string | undefined;
  if (declared === undefined) {
    why = members && 'only methods and getters declared in a class that extends RpcTarget can be reached';
  } else if (Object.hasOwn(receiver as object, name)) {
    why = 'the target has a property of its own of that name, which hides what its class declares';
  } else {
    const [is, hint] = declared.getter ? ['getter: read', 'out'] : ['method: call', ''];
    return new RpcError('METHOD_NOT_FOUND', `${name} is a ${is} it, with${hint} parentheses`);
  }
  return notFound(`remote ${kind}`, name, why);
}
