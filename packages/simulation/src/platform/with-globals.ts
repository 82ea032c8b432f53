/** Returns the machine's global object with some members replaced. */
export function withGlobals(own: Readonly<Record<string, unknown>>): typeof globalThis {
  return new Proxy(globalThis, {
    get: (target, key) => (typeof key === 'string' && Object.hasOwn(own, key) ? own[key] : Reflect.get(target, key)),
    has: (target, key) => Object.hasOwn(own, key) || Reflect.has(target, key),
  });
}
