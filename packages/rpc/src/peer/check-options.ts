/** The types of options, in words that hold what `typeof` says, and the names of the options. */
const TYPES = Object.entries({
  'number, 0 or more': /^max|Ms$/,
  function: /^(on[A-Z]|wrap)|uthenticate$/,
  boolean: /^(eager|early|hibernate|errorStacks|discoverable|compress)$/,
  object: /^(limits|use|refuse|protocols|storedResults|rateLimits|persist)$/,
  'boolean or object': /^(reconnect|heartbeat)$/,
});

/**
 * Checks options and those in them, before anything is made of them. A timer would treat a wrong number as 0, and nothing
 * would exceed it. Returns them without what all objects may inherit from a page.
 * @throws {TypeError} if one is of another type, or a negative number; the message names it
 */
export function checkOptions<Options extends object>(options: Options): Options {
  const own = Object.assign(Object.create(null), options);
  for (const [name, value] of Object.entries(options)) {
    for (const [type, names] of TYPES) {
      if (value === undefined || !names.test(name)) continue;
      if (!type.includes(typeof value) || value === null || (typeof value === 'number' && !(value >= 0))) {
        throw new TypeError(`${name} needs a ${type}`);
      }
      if (type.endsWith('object')) {
        const checked = checkOptions(Object(value));
        if (typeof value === 'object' && !Array.isArray(value)) own[name] = checked;
      }
    }
  }
  return own;
}
