import { RpcError } from '../../errors/rpc-error.ts';
import { hasSize, isPlainData } from '../data-members.ts';
import { isRemote, isTarget } from '../references/by-reference.ts';
import { noteOrigin } from '../references/recipes.ts';
import { type RunningCall, runIn, runThroughout } from './call-context.ts';
import { type AnyMember, type Declared, declaredBy, deliver, memberOf, NEVER } from './declarations.ts';
import { readingMethod } from './reading.ts';
import { denial } from './thrown.ts';

/**
 * Calls the method that a path of one name leads to.
 * @throws {RpcError} `METHOD_NOT_FOUND` where the receiver declares none of that name; nothing runs
 */
export function callMember(receiver: unknown, name: string, args: unknown[], call?: RunningCall): unknown {
  const isServed = isTarget(receiver);
  const declared = isServed ? memberOf(receiver, name) : undefined;
  if (declared?.getter !== undefined) {
    throw new RpcError('METHOD_NOT_FOUND', `${name} is a getter: read it, without parentheses`);
  }
  const method = isServed ? declared?.method : methodOf(receiver, name);
  if (method === undefined) throw notFound('method', name, receiver);
  const isPlain = call?.isAgain === false && declared?.isPrompt && !declared.isDelivered;
  const result = isPlain ? runIn(call, method, receiver, args) : run(call, declared, method, receiver, name, args);
  if (declared === undefined || call === undefined) return result;
  // Learned from how it goes: what has ever returned a promise may await, and ask for its call after that.
  if (result instanceof Promise) declared.isPrompt = false;
  else declared.isPrompt ??= true;
  return declared.isRestorable ? noteOrigin(result, { receiver: receiver as object, method: name, args }) : result;
}

function run(
  call: RunningCall | undefined,
  declared: Declared | undefined,
  method: AnyMember,
  receiver: unknown,
  name: string,
  args: unknown[],
): unknown {
  if (call === undefined) {
    // Never unchecked: whatever calls so has forgotten to say for whom.
    if (declared?.check !== undefined) throw denial(name);
    return Reflect.apply(method, receiver, args);
  }
  const enter = declared?.isPrompt ? runIn : runThroughout;
  return call.isAgain || declared?.isDelivered
    ? enter(call, deliver, undefined, [call, declared, method, receiver, name, args], true)
    : enter(call, method, receiver, args);
}

/** Whether a value has a method of that name that may be called remotely. */
export function hasMethod(receiver: unknown, name: string): boolean {
  return (isTarget(receiver) ? memberOf(receiver, name)?.method : methodOf(receiver, name)) !== undefined;
}

/**
 * Calls a function that was passed by reference.
 * @throws {RpcError} `METHOD_NOT_FOUND` where it is none
 */
export function callFunction(value: unknown, args: unknown[], call?: RunningCall): unknown {
  if (typeof value !== 'function') {
    throw new RpcError('METHOD_NOT_FOUND', 'the result is no function that can be called');
  }
  return run(call, undefined, value as AnyMember, undefined, 'a function', args);
}

/**
 * Reads the property that a path of one name leads to: a getter of a target, or a property of plain data itself.
 * @throws {RpcError} `METHOD_NOT_FOUND` where the receiver has none of that name
 */
export function readMember(receiver: unknown, name: string, call?: RunningCall): unknown {
  if (isTarget(receiver)) {
    const declared = memberOf(receiver, name);
    if (declared?.getter !== undefined) return run(call, declared, declared.getter, receiver, name, []);
    if (declared?.method !== undefined) {
      throw new RpcError('METHOD_NOT_FOUND', `${name} is a method: call it, with parentheses`);
    }
  } else if (isPlainData(receiver) && Object.hasOwn(receiver, name)) {
    return (receiver as Record<string, unknown>)[name];
  } else if (hasSize(receiver, name)) return receiver.size;
  else if (isRemote(receiver) && !NEVER.has(name)) return (receiver as Record<string, unknown>)[name];
  throw notFound('property', name, receiver);
}

/** Finds a method of what is no target: a function in data, a reading method of a collection, anything of a stub. */
function methodOf(receiver: unknown, name: string): Declared['method'] {
  if (typeof receiver !== 'object' && typeof receiver !== 'function') return undefined;
  if (receiver === null || NEVER.has(name)) return undefined;
  // The result of a call is no function to its caller before it has arrived: so it is called by `call`, as in JavaScript.
  if (typeof receiver === 'function' && name === 'call') return (_this, ...args) => callFunction(receiver, args);
  const fields = receiver as Record<string, Declared['method']>;
  if (isRemote(receiver)) return (...args) => fields[name]?.(...args);
  if (isPlainData(receiver) && Object.hasOwn(receiver, name)) {
    return typeof fields[name] === 'function' ? fields[name] : undefined;
  }
  return readingMethod(receiver, name);
}

function notFound(kind: string, name: string, receiver: unknown): RpcError {
  const what = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
  const type = receiver === null ? 'null' : typeof receiver;
  if (isTarget(receiver) && declaredBy(receiver).has(name)) {
    return new RpcError(
      'METHOD_NOT_FOUND',
      `no remote ${kind} ${what}: the target has a property of its own of that name, which hides what its class declares`,
    );
  }
  return new RpcError(
    'METHOD_NOT_FOUND',
    isTarget(receiver)
      ? `no remote ${kind} ${what}: only methods and getters declared in a class that extends RpcTarget can be reached`
      : `no remote ${kind} ${what}: its receiver is no RpcTarget but of type ${type}`,
  );
}
