/** Whether an object with this prototype is a plain object of another realm. */
export function isPlainPrototype(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

/** Names the kind of a value that cannot be cloned, for an error message. */
export function describe(value: object): string {
  if (typeof value === 'function') return 'functions';
  return `instances of ${Object.getPrototypeOf(value).constructor?.name || 'unnamed classes'}`;
}
