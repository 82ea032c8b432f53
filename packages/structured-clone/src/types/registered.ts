import { malformed, notAccepted } from '../core/clone-error.ts';
import type { Row } from './row.ts';

/** Codec of the instances of a class. */
export interface ClassCodec<Instance> {
  /** The name of the class on the wire, the same on both sides. */
  readonly name: string;
  /** Returns what stands for the instance: any value that can be cloned and that does not lead back to the instance. */
  encode(instance: Instance): unknown;
  /** Makes an instance of what arrived. That may be anything: check it, and throw if it is not what `encode` returns. */
  decode(payload: unknown): Instance;
}

const CLASSES = Symbol.for('@lumenize/structured-clone');

/** Returns the codecs by prototype and by name. There is one list of them: bundles may hold this module more than once. */
function classes(): Map<unknown, ClassCodec<unknown>> {
  const shared = globalThis as { [CLASSES]?: Map<unknown, ClassCodec<unknown>> };
  shared[CLASSES] ??= new Map();
  return shared[CLASSES];
}

/**
 * Lets instances of a class travel by value, in this isolate or page. The other side can decode them when it has
 * registered a class under the same name; instances of subclasses are refused unless those are registered too.
 * @throws {Error} where the class or the name is taken already
 */
export function register<Instance>(
  constructor: { readonly prototype: Instance },
  codec: ClassCodec<NoInfer<Instance>>,
): void {
  const known = classes();
  const keys = [constructor.prototype, codec.name];
  if (keys.some((key) => known.has(key))) throw new Error(`the class or the name ${codec.name} is registered already`);
  for (const key of keys) known.set(key, codec as ClassCodec<unknown>);
}

/** Returns the codec of the class of this prototype, or name. */
export function codecOf(prototypeOrName: unknown): ClassCodec<unknown> | undefined {
  return classes().get(prototypeOrName);
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
      const codec = codecOf(name);
      if (codec === undefined) throw notAccepted(`class ${name}`, 'it is not registered');
      if (options.refuse?.includes(name)) throw notAccepted(`class ${name}`);
      return codec.decode(payload);
    },
  },
];
