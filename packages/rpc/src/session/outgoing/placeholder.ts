import { NODE, type Node } from './node.ts';

/** What placeholders tell the recording that they belong to. */
export interface PlaceholderOwner {
  /** Throws where the recording has ended. */
  checkOpen(node: Node): void;
  /** Notes that a property is read. */
  read(node: Node, name: string): object;
  call(node: Node, args: unknown[]): object;
  /** Makes the error for what cannot be done with a placeholder. */
  misuse(node: Node, what: string): TypeError;
}

/** What is behind all placeholders: anything may turn out to be a method. */
const BEHIND = Object.preventExtensions(() => {});

/** What the language asks for when values are used for what a recording cannot know. */
const MISUSES = new Map<string | symbol, string>([
  ['then', 'be awaited'],
  ['catch', 'be awaited'],
  ['finally', 'be awaited'],
  ['toJSON', 'be turned into text'],
  [Symbol.toPrimitive, 'be calculated with, compared or put into text'],
  [Symbol.iterator, 'be iterated: use its own map() or filter()'],
  [Symbol.asyncIterator, 'be iterated: use its own map() or filter()'],
  [Symbol.dispose, 'be disposed of'],
]);

/** Makes what stands for a value that is not known yet, in a callback that is being recorded. */
export function placeholder(owner: PlaceholderOwner, node: Node): object {
  const refuse = (what: string) => () => {
    throw owner.misuse(node, what);
  };
  return new Proxy(BEHIND, {
    apply: (_behind, _this, args) => owner.call(node, args),
    get(_behind, key) {
      owner.checkOpen(node);
      if (key === NODE) return node;
      const misuse = MISUSES.get(key);
      if (misuse !== undefined) throw owner.misuse(node, misuse);
      return typeof key === 'string' ? owner.read(node, key) : undefined;
    },
    has: refuse('be searched for keys'),
    ownKeys: refuse('be spread, or searched for keys'),
    set: refuse('be changed'),
    defineProperty: refuse('be changed'),
    deleteProperty: refuse('be changed'),
  });
}
