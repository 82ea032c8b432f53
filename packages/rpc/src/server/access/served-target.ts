import type { RpcTarget } from '#platform';
import { RpcError } from '../../errors/rpc-error.ts';
import { DESCRIPTION_TYPE, type MemberDescription, type TargetDescription } from '../../protocol/http.ts';
import { followCalls, type RunningCall, runThroughout } from '../../session/incoming/call-context.ts';
import {
  type AnyMember,
  type Check,
  type Declared,
  declaredBy,
  memberOf,
  NEVER,
  type OptionSupport,
  provideOptionSupport,
  requireTarget,
} from '../../session/incoming/declarations.ts';
import { isStandardSchema, type MethodOptions } from '../../session/incoming/method-options.ts';
import { denial, noteRefused } from '../../session/incoming/thrown.ts';
import { isTarget } from '../../session/references/by-reference.ts';
import { deliver } from '../delivery/deliver.ts';
import { createValidator } from './validate.ts';

/** Has the options of methods looked at and their calls checked; to be called before a target is served. */
export function supportOptions(): void {
  followCalls();
  provideOptionSupport(SUPPORT);
}

const SUPPORT: OptionSupport = { complete, deliver };

function complete(own: object, declared: ReadonlyMap<string, Declared>): void {
  const type = own.constructor.name;
  const all = optionsOf(own);
  for (const name of all.keys()) {
    if (!declared.has(name) && !isHidden(own, name))
      throw new TypeError(`static rpc of ${type} speaks of ${name}, which is no method of it`);
  }
  for (const [name, member] of declared) {
    const options = all.get(name);
    const full = `${type}.${name}`;
    if (options !== undefined) requireForm(options, full, member.method);
    const { args, exactlyOnce, guard, idempotent, readOnly, restorable } = options ?? {};
    const isChecked = guard !== undefined || args !== undefined;
    const isGetter = member.getter !== undefined;
    Object.assign(member, {
      isPrompt: isGetter && !isChecked ? true : undefined,
      check: isChecked ? createCheck(options!, full) : undefined,
      delivery: exactlyOnce
        ? 'exactlyOnce'
        : isGetter || restorable || readOnly || idempotent
          ? 'idempotent'
          : undefined,
      isDelivered: isChecked || exactlyOnce || restorable,
      isReadOnly: readOnly,
      isRestorable: restorable,
    } satisfies Partial<Declared>);
  }
}

/** Returns true if a class hides a member of that name, which it inherits. */
function isHidden(own: object, name: string): boolean {
  if (NEVER.has(name)) return false;
  for (let prototype = own; isTarget(prototype); prototype = Object.getPrototypeOf(prototype)) {
    const { value, get } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
    if (typeof value === 'function' || get !== undefined) return true;
  }
  return false;
}

/** Collects what the classes of a target say of their methods, by its own prototype; where several speak of one, the most derived counts. */
function optionsOf(own: object): ReadonlyMap<string, MethodOptions> {
  const all = new Map<string, MethodOptions>();
  for (let prototype = own; isTarget(prototype); prototype = Object.getPrototypeOf(prototype)) {
    const { rpc = {} } = prototype.constructor as { rpc?: object };
    for (const [name, options] of Object.entries(rpc)) if (!all.has(name)) all.set(name, options);
  }
  return all;
}

/**
 * Makes sure that a value can be served, with all that its class says of its methods; `where` begins the message.
 * @throws {TypeError} where its class did not opt in, or its `static rpc` says what cannot be
 */
export function requireServable(value: unknown, where: string): asserts value is RpcTarget {
  supportOptions();
  requireTarget(value, where);
}

/** Makes the check of a member: its arguments have to be valid, and its guard has to agree. Synchronous, where both are. */
export function createCheck({ guard, args: schema }: MethodOptions, name: string): Check {
  const validate = schema && createValidator(schema, name);
  return (call, given) => {
    const allow = (args: unknown[]) => {
      const allowed = guard === undefined || judge(guard, name, call, args);
      return allowed instanceof Promise ? allowed.then(() => args) : args;
    };
    const valid = validate === undefined ? given : validate(given);
    return valid instanceof Promise
      ? valid.then((args) => runThroughout(call, allow, undefined, [args], true))
      : allow(valid);
  };
}

/** Asks a guard. Throws, or rejects, where the call may not be made. */
function judge(
  guard: NonNullable<MethodOptions['guard']>,
  name: string,
  call: RunningCall,
  args: unknown[],
): true | Promise<true> {
  const decide = (answer: unknown): true => {
    // Only this: what is truthy may be a promise of something else, or a stub.
    if (answer === true) return true;
    throw denial(name);
  };
  const failed = (error: unknown): never => {
    throw error instanceof RpcError ? noteRefused(error) : noteRefused(denial(name), { defect: error });
  };
  let answer: unknown;
  try {
    answer = guard(call.caller!, ...args);
  } catch (error) {
    return failed(error);
  }
  return isThenable(answer) ? Promise.resolve(answer).then(decide, failed) : decide(answer);
}

/** Returns true for promises, also those of others than the platform. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** The form that the value of each option has to have. */
const FORMS: Readonly<Record<keyof MethodOptions, readonly [what: string, is: (value: unknown) => boolean]>> = {
  restorable: ['true or false', isBoolean],
  readOnly: ['true or false', isBoolean],
  idempotent: ['true or false', isBoolean],
  exactlyOnce: ['true or false', isBoolean],
  guard: ['a function', (value) => typeof value === 'function'],
  args: [
    'a Standard Schema, or a list of them',
    (value) => (Array.isArray(value) ? value.every(isStandardSchema) : isStandardSchema(value)),
  ],
};

/**
 * Makes sure that what a class says of a member is of the right form: what is misspelt would check nothing.
 * @throws {TypeError} where it is not
 */
export function requireForm(options: unknown, full: string, method: AnyMember | undefined): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`static rpc: what is said of ${full} has to be an object of options`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(FORMS, name)) {
      const known = Object.keys(FORMS).join(', ');
      throw new TypeError(`static rpc: ${full} has the option ${name}, which there is none of: there are ${known}`);
    }
    const [what, is] = FORMS[name as keyof MethodOptions];
    if (value !== undefined && !is(value)) throw new TypeError(`static rpc: ${name} of ${full} has to be ${what}`);
    if (method === undefined && name !== 'guard') {
      throw new TypeError(`static rpc: ${full} is a getter, which can have a guard, not ${name}`);
    }
  }
  const { restorable, readOnly, idempotent, exactlyOnce } = options as MethodOptions;
  if (!exactlyOnce) return;
  if (restorable || readOnly || idempotent) {
    throw new TypeError(`static rpc: ${full} can be exactlyOnce, or restorable, readOnly or idempotent, not both`);
  }
  if (isAsynchronous(method)) {
    const why = 'its result is stored in one transaction with its effects, which cannot wait';
    throw new TypeError(`static rpc: ${full} is asynchronous and cannot be exactlyOnce: ${why}`);
  }
}

/** Names that the language has for functions which return promises or iterate. */
const ASYNCHRONOUS = /Async|Generator/;

function isAsynchronous(value: unknown): boolean {
  return ASYNCHRONOUS.test(Object.prototype.toString.call(value));
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

/** Returns true if a request asks what an object declares: a GET that accepts nothing but the type of descriptions. */
export function asksForDescription(request: Request): boolean {
  return request.method === 'GET' && request.headers.get('Accept') === DESCRIPTION_TYPE;
}

/** Answers with what a target declares, which its class and the caller decide. */
export function answerDescription(target: RpcTarget): Response {
  const body = JSON.stringify(describeTarget(target));
  // What one caller may call is not for a cache to tell another.
  return new Response(body, { headers: { 'Content-Type': DESCRIPTION_TYPE, 'Cache-Control': 'no-store' } });
}

/** Describes the methods and getters that a target's classes declare, by name, and what they say of them. */
export function describeTarget(target: RpcTarget): TargetDescription {
  const options = optionsOf(Object.getPrototypeOf(target));
  const members = [...declaredBy(target)]
    .filter(([name]) => memberOf(target, name) !== undefined)
    .map(([name, declared]) => describeMember(name, declared, options.get(name) ?? {}));
  return { name: target.constructor.name, members: members.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function describeMember(name: string, declared: Declared, options: object): MemberDescription {
  const said = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
  return { name, kind: declared.method === undefined ? 'getter' : 'method', options: said.map(([option]) => option) };
}
