import { malformed, notAccepted } from '../core/clone-error.ts';
import type { Row } from './row.ts';

/** How the instances of a class travel. */
export interface ClassCodec<Instance> {
  /** The name of the class on the wire, the same on both sides. */
  readonly name: string;
  /** Returns what stands for the instance: any value that can be cloned and that does not lead back to the instance. */
  encode(instance: Instance): unknown;
  /** Makes an instance of what arrived. That may be anything: check it, and throw if it is not what `encode` returns. */
  decode(payload: unknown): Instance;
}

const byPrototype = new Map<unknown, ClassCodec<unknown>>();
const byName = new Map<string, ClassCodec<unknown>>();

/**
 * Lets instances of a class travel by value, in this isolate or page. The other side can decode them when it has
 * registered a class under the same name; instances of subclasses are refused unless those are registered too.
 * @throws {Error} where the class or the name is taken already
 */
export function register<Instance>(
  constructor: { readonly prototype: Instance },
  codec: ClassCodec<NoInfer<Instance>>,
): void {
  if (byPrototype.has(constructor.prototype) || byName.has(codec.name)) {
    throw new Error(`the class or the name ${codec.name} is registered already`);
  }
  byPrototype.set(constructor.prototype, codec as ClassCodec<unknown>);
  byName.set(codec.name, codec as ClassCodec<unknown>);
}

/** Returns the codec of the class whose prototype this is. */
export function codecOf(prototype: unknown): ClassCodec<unknown> | undefined {
  return byPrototype.get(prototype);
}

export function codecNamed(name: string): ClassCodec<unknown> | undefined {
  return byName.get(name);
}

/** Makes the row of instances of registered classes, as the name of the class and what its `encode` returns. */
export const registered = (): Row[] => [
  {
    name: 'class',
    is: (value) => codecOf(Object.getPrototypeOf(value)) !== undefined,
    parts(instance) {
      const codec = codecOf(Object.getPrototypeOf(instance))!;
      return [codec.name, codec.encode(instance)];
    },
    make([name, payload], { options }) {
      if (typeof name !== 'string') throw malformed('class');
      const codec = codecNamed(name);
      if (codec === undefined) throw notAccepted(`class ${name}`, 'it is not registered');
      if (options.refuse?.includes(name)) throw notAccepted(`class ${name}`);
      return codec.decode(payload);
    },
  },
];
