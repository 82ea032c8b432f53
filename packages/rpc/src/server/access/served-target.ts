import { toJson } from '@lumenize/structured-clone/messages';
import type { RpcTarget } from '#platform';
import { RpcError } from '../../errors/rpc-error.ts';
import { DESCRIPTION_TYPE, type MemberDescription, type TargetDescription } from '../../protocol/http.ts';
import { followCalls, runThroughout } from '../../session/incoming/current-call.ts';
import {
  type AnyMember,
  type Check,
  type Declared,
  declaredBy,
  isForbidden,
  memberOf,
  type OptionSupport,
  provideOptionSupport,
  requireTarget,
} from '../../session/incoming/declarations.ts';
import { isStandardSchema, type MethodOptions } from '../../session/incoming/method-options.ts';
import { denial, noteRefused } from '../../session/incoming/thrown.ts';
import { ownOptions } from '../../session/limits.ts';
import { isTarget } from '../../session/references/by-reference.ts';
import { deliver } from '../delivery/deliver.ts';
import { isThenable } from './is-thenable.ts';
import { createValidator } from './validate.ts';

/**
 * Enables the options of methods, their checks, and call contexts after an `await`. Call it before a target is served.
 */
export function supportOptions(): void {
  followCalls();
  provideOptionSupport(SUPPORT);
}

const SUPPORT: OptionSupport = { complete, deliver };

function complete(target: object, declared: ReadonlyMap<string, Declared>): void {
  const own: object = Object.getPrototypeOf(target);
  const type = own.constructor.name;
  // Without this, whoever forgets `static` would have methods that nothing guards.
  const field = Object.hasOwn(target, 'rpc') ? Object.keys((target as { rpc?: object }).rpc ?? {}) : [];
  if (field.length > 0 && field.every((name) => declared.has(name)))
    throw new TypeError(`rpc of ${type} is a field, which declares nothing: make it static`);
  const all = optionsOf(own);
  for (const name of all.keys()) {
    if (!declared.has(name) && !isHidden(own, name))
      throw new TypeError(`static rpc of ${type} speaks of ${name}, which is no method of it`);
  }
  for (const [name, member] of declared) {
    const given = all.get(name) ?? [];
    const full = `${type}.${name}`;
    for (const each of given) requireForm(each, full, member.method);
    const declarations = given.map((each) => ownOptions(each));
    const { exactlyOnce, idempotent, readOnly, restorable } = merged(declarations);
    if (exactlyOnce && isAsynchronous(member.method)) {
      const why = 'its result is stored in one transaction with its effects';
      throw new TypeError(`static rpc: ${full} is asynchronous and cannot be exactlyOnce: ${why}`);
    }
    const check = createCheck(declarations, full);
    const isChecked = check !== undefined;
    const isGetter = member.getter !== undefined;
    Object.assign(member, {
      isPrompt: isGetter && !isChecked ? true : undefined,
      check,
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

/** Returns true if a class inherits a method or getter of that name, but hides it. */
function isHidden(own: object, name: string): boolean {
  if (isForbidden(name)) return false;
  for (const prototype of prototypesOf(own)) {
    const { value, get } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
    if (typeof value === 'function' || get !== undefined) return true;
  }
  return false;
}

/** Yields the prototypes of a target's classes up to that below `RpcTarget`, given the first of them. */
function* prototypesOf(own: object): Generator<object> {
  for (let prototype = own; isTarget(prototype); prototype = Object.getPrototypeOf(prototype)) yield prototype;
}

/**
 * Collects the options that a target's classes declare for their methods, given the target's prototype. Those of a base
 * class come first, and all of them hold.
 */
function optionsOf(own: object): ReadonlyMap<string, readonly MethodOptions[]> {
  const all = new Map<string, MethodOptions[]>();
  for (const { constructor } of prototypesOf(own)) {
    // A class without `rpc` has that of its base class, whose options are then there twice.
    const { rpc = {} } = constructor as { rpc?: object };
    for (const [name, options] of Object.entries(rpc)) all.set(name, [options, ...(all.get(name) ?? [])]);
  }
  return all;
}

/** Merges options, the later ones last. A method is `exactlyOnce`, or may run again, as the later one says. */
function merged(declarations: readonly MethodOptions[]): MethodOptions {
  const options = ownOptions<MethodOptions>(undefined);
  for (const own of declarations) {
    if (own.exactlyOnce) Object.assign(options, { idempotent: false, readOnly: false, restorable: false });
    if (own.idempotent || own.readOnly || own.restorable) options.exactlyOnce = false;
    Object.assign(options, own);
  }
  return options;
}

/**
 * Makes sure that a value can be served, and that the options of its class are valid. `where` begins the error message.
 * @throws {TypeError} if its class does not extend `RpcTarget`, or its `static rpc` is invalid
 */
export function requireServable(value: unknown, where: string): asserts value is RpcTarget {
  supportOptions();
  requireTarget(value, where);
}

/**
 * Makes the check of a member from what its classes declare: its arguments must be valid, and then its guards must
 * agree. The check is synchronous if all of these are.
 */
function createCheck(declarations: readonly MethodOptions[], name: string): Check | undefined {
  const schemas = different(declarations.map(({ args }) => args));
  const checks = schemas.map((schema, at): Check => {
    const validate = createValidator(schema, name, at === schemas.length - 1);
    return (_call, args) => validate(args);
  });
  for (const guard of different(declarations.map((options) => options.guard))) checks.push(createGuard(guard, name));
  if (checks.length === 0) return undefined;
  return checks.reduce((before, check) => (call, given) => {
    const valid = before(call, given);
    return valid instanceof Promise
      ? valid.then((args) => runThroughout(call, check, undefined, [call, args], true))
      : check(call, valid);
  });
}

/** Returns the different values, without undefined: a subclass may repeat what its base class declares. */
function different<Value>(values: readonly (Value | undefined)[]): Value[] {
  return [...new Set(values)].filter((value) => value !== undefined);
}

/** Makes the check that asks a guard, and returns the arguments as they are. */
function createGuard(guard: NonNullable<MethodOptions['guard']>, name: string): Check {
  return (call, args) => {
    const decide = (answer: unknown): unknown[] => {
      // Only `true` allows the call: another truthy value may be a stub, or a promise of something else.
      if (answer === true) return args;
      throw denial(name);
    };
    const failed = (error: unknown): never => {
      if (!(error instanceof RpcError)) throw noteRefused(denial(name), { defect: error });
      // A method may throw the same error later, and has run then.
      throw noteRefused(new RpcError(error.code, error.message, { data: error.data, cause: error }));
    };
    let answer: unknown;
    try {
      answer = guard(call.caller!, ...args);
    } catch (error) {
      return failed(error);
    }
    return isThenable(answer) ? Promise.resolve(answer).then(decide, failed) : decide(answer);
  };
}

type Form = readonly [what: string, is: (value: unknown) => boolean];

const FLAG: Form = ['true or false', (value) => typeof value === 'boolean'];

/** The form of each option's value, as words and as a test. */
const FORMS: Readonly<Record<keyof MethodOptions, Form>> = {
  restorable: FLAG,
  readOnly: FLAG,
  idempotent: FLAG,
  exactlyOnce: FLAG,
  guard: ['a function', (value) => typeof value === 'function'],
  args: [
    'a Standard Schema, or a list of them',
    (value) => (Array.isArray(value) ? value.every(isStandardSchema) : isStandardSchema(value)),
  ],
};

/**
 * Makes sure that a member's options are valid: a misspelt option would check nothing.
 * @throws {TypeError} if they are not
 */
function requireForm(options: unknown, full: string, method: AnyMember | undefined): void {
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
  if (exactlyOnce && (restorable || readOnly || idempotent)) {
    throw new TypeError(`static rpc: ${full} can be exactlyOnce, or restorable, readOnly or idempotent, not both`);
  }
}

/** Matches the names that JavaScript gives to functions that return promises or iterators. */
const ASYNCHRONOUS = /Async|Generator/;

function isAsynchronous(value: unknown): boolean {
  return ASYNCHRONOUS.test(Object.prototype.toString.call(value));
}

/** Answers with a description of a target, which depends on its class and on the caller. */
export function answerDescription(target: RpcTarget): Response {
  const body = toJson(describeTarget(target));
  // The description is for this caller: no cache may give it to another one.
  return new Response(body, { headers: { 'Content-Type': DESCRIPTION_TYPE, 'Cache-Control': 'no-store' } });
}

/**
 * Describes the methods and getters that a target's classes declare, and their options, in the order of their names.
 */
export function describeTarget(target: RpcTarget): TargetDescription {
  const options = optionsOf(Object.getPrototypeOf(target));
  const members = [...declaredBy(target)]
    .filter(([name]) => memberOf(target, name) !== undefined)
    .map(([name, declared]) => describeMember(name, declared, merged(options.get(name) ?? [])));
  return { name: target.constructor.name, members: members.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function describeMember(name: string, declared: Declared, options: object): MemberDescription {
  const said = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
  return { name, kind: declared.method === undefined ? 'getter' : 'method', options: said.map(([option]) => option) };
}
