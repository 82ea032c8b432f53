import type { Mutant } from './mutant.ts';

const EXPORTS = 'packages/rpc/src/session/references/exports.ts';

/** Defects in what the sides of a connection hold of each other. */
export const REFERENCES: readonly Mutant[] = [
  {
    name: 'a-reference-is-let-go-of-although-it-was-sent-once-more',
    file: EXPORTS,
    find: 'if (entry.count > 0) return;',
    replace: '',
  },
  {
    name: 'a-target-is-not-told-that-nobody-holds-it-any-more',
    file: EXPORTS,
    find: 'for (const each of retained) this.#holders.release(each, letsGo);',
    replace: '',
  },
  {
    name: 'targets-are-not-told-that-their-connection-is-gone',
    file: EXPORTS,
    find: 'for (const [address, entry] of this.#byAddress) this.#drop(address, entry);',
    replace: '',
  },
  {
    name: 'a-target-that-was-released-is-sent-under-the-number-that-it-had',
    file: EXPORTS,
    find: 'else if (this.#ids.get(retained[0]) === keptAt(address)!.id) this.#ids.delete(retained[0]);',
    replace: '',
  },
  {
    name: 'a-released-reference-is-still-served',
    file: EXPORTS,
    find: 'this.#byAddress.delete(address);\n',
    replace: '',
  },
  {
    name: 'how-often-a-target-was-sent-is-not-counted',
    file: EXPORTS,
    find: 'this.#byAddress.get(referenceAddress(id))!.count++;',
    replace: '{}',
  },
  {
    name: 'a-target-is-disposed-of-with-a-step-although-the-client-holds-it',
    file: 'packages/rpc/src/session/references/holders.ts',
    find: '(this.#counts.get(value) ?? 0) + 1',
    replace: '1',
  },
  {
    name: 'the-target-of-a-connection-is-disposed-of-when-a-reference-to-it-is-released',
    file: 'packages/rpc/src/session/references/references.ts',
    find: 'if (value !== this.#peer.target && ',
    replace: 'if (',
  },
  {
    name: 'stubs-of-a-connection-that-is-gone-call-over-the-next-one',
    file: 'packages/rpc/src/session/references/references.ts',
    find: 'this.#imports?.lost(',
    replace: 'String(',
  },
  {
    name: 'what-a-client-has-passed-stays-when-its-connection-is-gone',
    file: 'packages/rpc/src/session/references/references.ts',
    find: 'const exports = this.#exports;\n    this.#exports = undefined;',
    replace: 'const exports = undefined as Exports | undefined;',
  },
  {
    name: 'results-of-steps-are-not-let-go-of-when-they-are-forgotten',
    file: EXPORTS,
    find: 'held.retained = outcome.ok && isTarget(outcome.value) ? [...made, outcome.value] : made;',
    replace: '',
  },
  {
    name: 'results-of-steps-stay-when-the-connection-is-gone',
    file: EXPORTS,
    find: 'this.#byAddress) this.#drop(address, entry);',
    replace: 'this.#byAddress) if (!this.#steps.has(address)) this.#drop(address, entry);',
  },
  {
    name: 'how-often-a-reference-was-received-is-not-counted',
    file: 'packages/rpc/src/session/references/imports.ts',
    find: 'entry.count++;',
    replace: 'entry.count = 1;',
  },
  {
    name: 'a-stub-that-was-disposed-of-is-not-released',
    file: 'packages/rpc/src/session/references/imports.ts',
    find: 'this.#release(entry, false);',
    replace: 'this.#imports.delete(entry.id);',
  },
  {
    name: 'releases-wait-until-something-else-is-sent',
    file: 'packages/rpc/src/session/outgoing/outgoing.ts',
    find: "if (!collected || (SENDS_AT_ANY_TIME && this.#host.settings.side === 'client')) this.#soon();",
    replace: '',
  },
  {
    name: 'a-result-that-is-disposed-of-before-it-arrives-is-kept',
    file: 'packages/rpc/src/session/outgoing/call.ts',
    find: '(value) => (value as Partial<Disposable> | undefined)?.[Symbol.dispose]?.(),',
    replace: '() => {},',
  },
  {
    name: 'what-was-sent-in-a-result-that-failed-to-be-written-is-not-taken-back',
    file: 'packages/rpc/src/session/travelling.ts',
    find: 'else each.takeBack(false);',
    replace: '',
  },
  {
    name: 'numbers-of-references-begin-anew-when-the-object-wakes',
    file: 'packages/rpc/src/server/connections/attachment.ts',
    find: 'lives: life + 1',
    replace: 'lives: life',
  },
  {
    name: 'how-to-restore-a-reference-is-not-noted',
    file: 'packages/rpc/src/server/connections/attachment.ts',
    find: 'this.#write({ recipes: new Map(this.#attachment!.recipes).set(id, recipe) });',
    replace: '',
  },
  {
    name: 'how-to-restore-a-reference-stays-noted-when-it-is-released',
    file: 'packages/rpc/src/session/references/restoring.ts',
    find: 'this.#memory.forget(id);',
    replace: '',
  },
  {
    name: 'of-references-that-lead-from-one-to-the-other-the-last-is-restored-first',
    file: 'packages/rpc/src/session/references/recipes.ts',
    find: '[...from, text.length < TOO_LONG.length ? text : TOO_LONG]',
    replace: '[text, ...from]',
  },
  {
    name: 'a-reference-is-restored-for-each-call-anew',
    file: 'packages/rpc/src/session/references/restoring.ts',
    find: 'this.#references.exports.put(referenceAddress(id), outcome, [...new Set(from)], 0);',
    replace: '',
  },
  {
    name: 'what-is-returned-after-the-connection-is-gone-goes-to-the-next-one',
    file: 'packages/rpc/src/session/incoming/incoming.ts',
    find: 'if (call.life !== this.life) return this.#discard(call, outcome, call.made);',
    replace: '',
  },
  {
    name: 'what-is-returned-after-the-connection-is-gone-is-not-let-go-of',
    file: 'packages/rpc/src/session/incoming/incoming.ts',
    find: 'this.references.letGo(target)',
    replace: 'void target',
  },
];
