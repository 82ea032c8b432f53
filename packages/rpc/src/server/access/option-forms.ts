import type { AnyMember, MethodOptions } from '../../session/incoming/declarations.ts';
import { isStandardSchema } from '../../session/incoming/standard-schema.ts';

/** What the value of each option has to be. */
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

/** What the language calls methods that return promises or iterate. */
const ASYNCHRONOUS = /Async|Generator/;

function isAsynchronous(value: unknown): boolean {
  return ASYNCHRONOUS.test(Object.prototype.toString.call(value));
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}
