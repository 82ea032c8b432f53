import { isTimeout } from '../protocol/operation.ts';

const isWhole = (value: unknown) => typeof value === 'number' && value >= 0 && !(value % 1 > 0);

/** What an option has to be, by the first of the patterns that its name matches. */
const FORMS: readonly [names: RegExp, is: (value: unknown) => unknown, what: string][] = [
  [/Ms$/, isTimeout, 'a number, 0 or more'],
  // A frame has to have room for the head of a part of a message.
  [/^maxFrame/, (value) => isWhole(value) && Number(value) >= 64, 'a whole number, 64 or more'],
  [/^max/, isWhole, 'a whole number, 0 or more'],
  [/^(on[A-Z]|wrap)|uthenticate$/, (value) => typeof value === 'function', 'a function'],
  [
    /^(eager|early|hibernate|errorStacks|discoverable|compress)$/,
    (value) => typeof value === 'boolean',
    'true or false',
  ],
  [/^prefix$/, (value) => typeof value === 'string', 'a text'],
  [/^(use|refuse|protocols)$/, Array.isArray, 'a list'],
];

/** Matches the names of options that have options of their own. Some can also be true or false. */
const GROUPS = /^(limits|reconnect|heartbeat|storedResults|rateLimits)$/;
const SWITCHES = /^[rh]e/;

/**
 * Checks options and those in them, before anything is made of them. A timer would treat a wrong number as 0, and nothing
 * would exceed it.
 * @throws {TypeError} if one is not what it has to be; the message names it
 */
export function checkOptions(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const [, is, what] = FORMS.find(([names]) => names.test(name)) ?? [];
    if (is && !is(value)) throw new TypeError(`${name} needs ${what}`);
    if (!GROUPS.test(name) || (typeof value === 'boolean' && SWITCHES.test(name))) continue;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new TypeError(`${name} needs options`);
    checkOptions(value);
  }
}
