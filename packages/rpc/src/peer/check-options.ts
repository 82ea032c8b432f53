const NUMBER = 'number, 0 or more';

/** The types of options, in words that hold what `typeof` says; those of others are known by their names. */
const TYPES: Readonly<Record<string, string>> = {
  __proto__: null as never,
  eager: 'boolean',
  hibernate: 'boolean',
  errorStacks: 'boolean',
  compress: 'boolean',
  limits: 'object',
  refuse: 'object',
  protocols: 'object',
  storedResults: 'object',
  rateLimits: 'object',
  persist: 'object',
  reconnect: 'boolean or object',
  heartbeat: 'boolean or object',
};

function typeOf(name: string): string | undefined {
  if (name.startsWith('max') || name.endsWith('Ms')) return NUMBER;
  if (name.startsWith('on') || name.startsWith('wrap') || name.endsWith('uthenticate')) return 'function';
  return TYPES[name];
}

/**
 * Checks options and those in them, before anything is made of them. A timer would treat a wrong number as 0, and nothing
 * would exceed it. Returns them without what all objects may inherit from a page.
 * @throws {TypeError} if one is of another type, or a negative number; the message names it
 */
export function checkOptions<Options extends object>(options: Options): Options {
  const own = Object.assign(Object.create(null), options);
  for (const name in own) {
    const value = own[name];
    const type = typeOf(name);
    if (type === undefined || value === undefined) continue;
    if (!type.includes(typeof value) || value === null || (type === NUMBER && !(value >= 0))) {
      throw new TypeError(`${name} needs a ${type}`);
    }
    if (type.endsWith('object')) {
      const checked = checkOptions(Object(value));
      if (typeof value === 'object' && !Array.isArray(value)) own[name] = checked;
    }
  }
  return own;
}
