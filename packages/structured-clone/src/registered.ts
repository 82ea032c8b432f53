import { malformed, notAccepted } from './clone-error.ts';
import type { Extension } from './write.ts';

/** The codec of the instances of a class. */
export interface ClassCodec<Instance> {
  /** The name of the class on the wire, the same on both sides. */
  readonly name: string;
  /** Returns the payload of an instance: any value that can be cloned and does not refer back to the instance. */
  encode(instance: Instance): unknown;
  /**
   * Creates an instance from a payload. The payload may be anything: check it, and throw if `encode` would not return
   * it.
   */
  decode(payload: unknown): Instance;
}

const CLASSES = Symbol.for('@lumenize/structured-clone');

/**
 * Returns the codecs by prototype and by name. They are global, because bundles may hold this module more than once.
 */
function classes(): Map<unknown, ClassCodec<unknown>> {
  const shared = globalThis as { [CLASSES]?: Map<unknown, ClassCodec<unknown>> };
  shared[CLASSES] ??= new Map();
  return shared[CLASSES];
}

/**
 * Lets instances of a class travel by value, in this isolate or page. The other side can decode them if it has
 * registered a class under the same name. Instances of subclasses are refused unless the subclasses are registered too.
 * @throws {Error} if the class or the name is registered already
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

/** Returns what to write for an instance of a registered class: the name of the class and the payload. */
export function encodeInstance(value: object): Extension | undefined {
  const codec = classes().get(Object.getPrototypeOf(value));
  return codec && { name: 'class', parts: [codec.name, codec.encode(value)] };
}

/** Returns the instance of a registered class. */
export function decodeInstance([name, payload]: unknown[], refuse: readonly string[] | undefined): unknown {
  if (typeof name !== 'string') malformed('class');
  const codec = classes().get(name);
  if (!codec) notAccepted(`class ${name}`, 'it is not registered');
  if (refuse?.includes(name)) notAccepted(`class ${name}`);
  return codec.decode(payload);
}
