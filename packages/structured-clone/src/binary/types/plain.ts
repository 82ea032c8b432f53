/** Whether an object with this prototype is a plain object of another realm. */
export function isPlainPrototype(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}
