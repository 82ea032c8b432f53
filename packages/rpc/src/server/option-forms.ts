import type { MethodOptions } from '../session/incoming/declarations.ts';
import { isStandardSchema } from '../session/incoming/standard-schema.ts';

/** What the value of each option has to be. */
const FORMS: Readonly<Record<keyof MethodOptions, readonly [what: string, is: (value: unknown) => boolean]>> = {
  restorable: ['true or false', (value) => typeof value === 'boolean'],
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
export function requireForm(options: unknown, full: string, isGetter: boolean): void {
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
    if (isGetter && name !== 'guard') {
      throw new TypeError(`static rpc: ${full} is a getter, which can have a guard, not ${name}`);
    }
  }
}
