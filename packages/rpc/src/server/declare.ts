import { RpcError, refusal } from '../errors.ts';
import { isForbidden, isTarget } from '../peer/members.ts';
import { isPromise } from '../peer/writer.ts';
import type { RunningCall } from './context.ts';
import { defective } from './defect.ts';
import type { AnyMember, Declared } from './members.ts';
import { isStandardSchema, type MethodOptions } from './method-options.ts';
import { createValidator, type Validator } from './validate.ts';

/** The conditions for running a member: its arguments are checked, and then guards are asked. */
interface Checks {
  readonly validators: readonly Validator[];
  readonly guards: readonly NonNullable<MethodOptions['guard']>[];
  /** The name of the member with that of its class. */
  readonly name: string;
}

const CHECKS = new WeakMap<Declared, Checks>();

/**
 * Completes the declarations of a class by the options of it and of those that it extends. Options of a subclass win;
 * guards and schemas add up, those of the base first: what a base demands, a subclass cannot lose.
 * @throws {TypeError} if they are invalid
 */
export function complete(target: object, declared: ReadonlyMap<string, Declared>): void {
  const own = Object.getPrototypeOf(target);
  const { name: type } = own.constructor;
  // What is declared by a field and not by `static` would leave methods without guards.
  const field = Object.hasOwn(target, 'rpc') ? Object.keys((target as { rpc?: object }).rpc ?? {}) : [];
  if (field.length > 0 && field.every((name) => declared.has(name))) {
    throw new TypeError(`rpc of ${type} is a field, which declares nothing: make it static`);
  }
  const all = optionsOf(own);
  for (const name of all.keys()) {
    if (!declared.has(name) && !isHidden(own, name)) {
      throw new TypeError(`static rpc of ${type} speaks of ${name}, which is no method of it`);
    }
  }
  for (const [name, member] of declared) {
    const full = `${type}.${name}`;
    const levels = all.get(name) ?? [];
    for (const options of levels) requireForm(options, full, member.method);
    const options = merged(levels);
    requireOne(options, full, member.method);
    const checks: Checks = {
      name: full,
      validators: different(levels.map(({ args }) => args)).map((args, at, all) =>
        createValidator(args, full, at === all.length - 1),
      ),
      guards: different(levels.map(({ guard }) => guard)),
    };
    const isChecked = checks.validators.length > 0 || checks.guards.length > 0;
    if (isChecked) CHECKS.set(member, checks);
    const { exactlyOnce, idempotent, readOnly, restorable } = options;
    member.delivery = exactlyOnce
      ? 'once'
      : member.getter || restorable || readOnly || idempotent
        ? 'again'
        : 'unknown';
    member.isRestorable = restorable === true;
    member.isDelivered = isChecked || exactlyOnce === true;
    if (isChecked) member.isPrompt = undefined;
  }
}

/** Returns the different values, without undefined: a subclass may repeat what its base declares. */
function different<Value>(values: readonly (Value | undefined)[]): Value[] {
  return [...new Set(values)].filter((value) => value !== undefined);
}

/** Merges options, the later ones last. A method is `exactlyOnce`, or may run again, as the later one says. */
function merged(levels: readonly MethodOptions[]): MethodOptions {
  const options = { __proto__: null } as MethodOptions;
  for (const own of levels) {
    if (own.exactlyOnce) Object.assign(options, { idempotent: false, readOnly: false, restorable: false });
    if (own.idempotent || own.readOnly || own.restorable) options.exactlyOnce = false;
    Object.assign(options, own);
  }
  return options;
}

/** Yields the prototypes of a target's classes up to that below `RpcTarget`, given the first of them. */
function* prototypesOf(own: object): Generator<object> {
  for (let prototype = own; isTarget(prototype); prototype = Object.getPrototypeOf(prototype)) yield prototype;
}

/** Collects the options that a target's classes declare for each member, those of the base first. */
function optionsOf(own: object): ReadonlyMap<string, MethodOptions[]> {
  const all = new Map<string, MethodOptions[]>();
  for (const prototype of prototypesOf(own)) {
    if (!Object.hasOwn(prototype.constructor, 'rpc')) continue;
    const { rpc } = prototype.constructor as { rpc?: object };
    for (const [name, options] of Object.entries(rpc ?? {})) all.set(name, [options, ...(all.get(name) ?? [])]);
  }
  return all;
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

/**
 * Checks the arguments of a call, and asks the guards. Returns the arguments for the method, at once or later.
 * @throws {RpcError} if the call may not be made
 */
export function check(call: RunningCall, declared: Declared, args: unknown[]): unknown[] | Promise<unknown[]> {
  const { guards, name, validators } = CHECKS.get(declared) ?? { guards: [], name: '', validators: [] };
  const ask = (at: number, given: unknown[]): unknown[] | Promise<unknown[]> => {
    for (let next = at; next < guards.length; next++) {
      call.requireWanted();
      const answer = answerOf(guards[next], call, given, name);
      if (isPromise(answer)) {
        return Promise.resolve(answer).then(
          (said) => {
            requireTrue(said, name);
            return ask(next + 1, given);
          },
          (error) => failed(error, name),
        );
      }
      requireTrue(answer, name);
    }
    return given;
  };
  const validate = (at: number, given: unknown[]): unknown[] | Promise<unknown[]> => {
    for (let next = at, values = given; ; next++) {
      if (next === validators.length) return ask(0, values);
      const valid = validators[next](values);
      if (valid instanceof Promise) return valid.then((checked) => validate(next + 1, checked));
      values = valid;
    }
  };
  return validate(0, args);
}

function answerOf(
  guard: NonNullable<MethodOptions['guard']>,
  call: RunningCall,
  args: unknown[],
  name: string,
): unknown {
  try {
    return guard(call.caller!, ...args);
  } catch (error) {
    return failed(error, name);
  }
}

/** Only `true` allows a call: another truthy value may be a stub, or a promise of something else. */
function requireTrue(answer: unknown, name: string): void {
  if (answer !== true) throw refusal('DENIED', `${name} may not be called by this caller`);
}

function failed(error: unknown, name: string): never {
  if (!(error instanceof RpcError))
    throw defective(refusal('DENIED', `${name} may not be called by this caller`), error);
  // A method may throw the same error later, and has run then.
  throw refusal(error.code, error.message, { data: error.data, cause: error });
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
}

/** @throws {TypeError} if a method is declared to be exactlyOnce and something that excludes it */
function requireOne(
  { restorable, readOnly, idempotent, exactlyOnce }: MethodOptions,
  full: string,
  method: AnyMember | undefined,
): void {
  if (!exactlyOnce) return;
  if (restorable || readOnly || idempotent) {
    throw new TypeError(`static rpc: ${full} can be exactlyOnce, or restorable, readOnly or idempotent, not both`);
  }
  // The names that JavaScript gives to functions that return promises or iterators.
  if (/Async|Generator/.test(Object.prototype.toString.call(method))) {
    const why = 'its result is stored in one transaction with its effects, which cannot wait';
    throw new TypeError(`static rpc: ${full} is asynchronous and cannot be exactlyOnce: ${why}`);
  }
}
