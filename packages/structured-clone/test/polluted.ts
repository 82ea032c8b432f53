/** Runs something while `Object.prototype`, or another prototype, has more properties, which all objects then inherit. */
export function polluted<T>(properties: PropertyDescriptorMap, run: () => T, prototype: object = Object.prototype): T {
  const names = Object.keys(properties);
  for (const name of names) {
    Object.defineProperty(
      prototype,
      name,
      Object.assign(Object.create(null), properties[name], { configurable: true }),
    );
  }
  try {
    return run();
  } finally {
    for (const name of names) Reflect.deleteProperty(prototype, name);
  }
}

/** An enumerable property, as assigning makes it. */
export function assigned(value: unknown): PropertyDescriptor {
  return Object.assign(Object.create(null), { value, enumerable: true, writable: true });
}
