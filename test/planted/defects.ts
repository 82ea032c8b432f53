import { MUTANTS } from '../../packages/simulation/src/mutants/all.ts';

/** A defect to plant. Replaces `find`, which occurs once in the file, by `replace`. */
export interface Defect {
  readonly area: 'codec' | 'protocol' | 'client' | 'server' | 'topics' | 'access';
  readonly name: string;
  /** The path from the root of the project. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const CODEC = 'packages/structured-clone/src';
const RPC = 'packages/rpc/src';

/** Defects of different kinds in each area, chosen without knowing which test finds them. */
export const DEFECTS: readonly Defect[] = [
  {
    area: 'codec',
    name: 'minus-zero-arrives-as-zero',
    file: `${CODEC}/core/encode.ts`,
    find: 'value - value === 0 && (value !== 0 || 1 / value > 0)',
    replace: 'value - value === 0',
  },
  {
    area: 'codec',
    name: 'data-that-looks-like-a-mark-is-read-as-one',
    file: `${CODEC}/core/encode.ts`,
    find: 'mark || (keys.length === 1 && isMark(keys[0]))',
    replace: 'mark',
  },
  {
    area: 'codec',
    name: 'objects-without-prototype-arrive-with-one',
    file: `${CODEC}/core/encode.ts`,
    find: 'return this.#fields(value, NULL);',
    replace: 'return this.#fields(value);',
  },
  {
    area: 'codec',
    name: 'nothing-is-nested-too-deep-to-be-read',
    file: `${CODEC}/core/decode.ts`,
    find: "if (depth >= deepest) checkLimit('maxDepth', Number.POSITIVE_INFINITY, limits);",
    replace: '',
  },
  {
    area: 'codec',
    name: 'bytes-of-a-value-that-was-refused-stay-in-its-message',
    file: `${CODEC}/core/encode.ts`,
    find: 'tail.length = before;\n    throw',
    replace: 'throw',
  },
  {
    area: 'codec',
    name: 'bytes-are-those-of-the-value-before',
    file: `${CODEC}/core/decode.ts`,
    find: 'this.#tail = tail.subarray(length);',
    replace: '',
  },
  {
    area: 'protocol',
    name: 'the-last-part-of-a-message-says-that-one-is-to-come',
    file: `${RPC}/protocol/frame-part.ts`,
    find: 'count - place - 1',
    replace: 'count - place',
  },
  {
    area: 'protocol',
    name: 'an-operation-may-wait-for-its-own-result',
    file: `${RPC}/protocol/address.ts`,
    find: 'readAddress(address, index)',
    replace: 'readAddress(address, index + 1)',
  },
  {
    area: 'protocol',
    name: 'a-frame-has-one-operation-more-than-it-may',
    file: `${RPC}/protocol/call-reader.ts`,
    find: 'operations.length === maxOperations',
    replace: 'operations.length > maxOperations',
  },
  {
    area: 'protocol',
    name: 'a-frame-that-is-sent-again-does-not-say-so',
    file: `${RPC}/protocol/resent.ts`,
    find: 'ageMs === undefined ? null : Math.ceil(ageMs)',
    replace: 'null',
  },
  {
    area: 'client',
    name: 'clients-do-not-wait-longer-from-attempt-to-attempt',
    file: `${RPC}/client/backoff.ts`,
    find: '2 ** attempts++',
    replace: '1',
  },
  {
    area: 'client',
    name: 'a-connection-that-does-not-answer-is-asked-for-ever',
    file: `${RPC}/extensions/heartbeat/index.ts`,
    find: "watched.drop('no sign of life');",
    replace: 'ask();',
  },
  {
    area: 'client',
    name: 'an-attempt-may-take-for-ever',
    file: `${RPC}/client/link.ts`,
    find: "timer.set(connectTimeoutMs, () => link.drop('it takes too long'));",
    replace: 'timer.stop();',
  },
  ...simulated('client', 'delivery', [
    'calls-that-have-been-sent-are-taken-for-calls-that-have-not',
    'calls-that-pass-functions-are-made-again-without-them',
  ]),
  ...simulated('server', 'delivery', [
    'the-result-of-an-exactly-once-call-is-stored-outside-of-a-transaction',
    'results-of-other-clients-go-with-those-that-have-arrived',
    'an-exactly-once-method-is-delivered-as-an-idempotent-one',
    'results-that-have-arrived-are-never-acknowledged',
  ]),
  {
    area: 'server',
    name: 'stored-results-that-have-arrived-are-kept',
    file: `${RPC}/server/session.ts`,
    find: 'if (kind === ACKNOWLEDGE) this.results?.acknowledge(readNumbers(signal));',
    replace: 'if (kind === ACKNOWLEDGE) undefined;',
  },
  ...simulated('server', 'references', ['a-target-is-not-told-that-nobody-holds-it-any-more']),
  ...simulated('topics', 'topics', [
    'an-event-is-sent-although-its-transaction-was-rolled-back',
    'one-event-less-is-retained',
    'events-behind-a-gap-are-read-as-if-there-were-none',
    'the-event-at-which-a-subscriber-falls-behind-is-lost',
  ]),
  ...simulated('access', 'access', [
    'a-guard-that-answers-what-is-true-enough-lets-in',
    'guards-of-getters-are-not-asked',
    'inherited-properties-of-data-can-be-reached',
    'more-arguments-than-there-are-schemas-reach-the-method',
  ]),
];

/** Returns defects from a list of the simulator, which `npm test` has to find too. */
function simulated(area: Defect['area'], list: string, names: readonly string[]): Defect[] {
  return names.map((name) => {
    const mutant = MUTANTS[list].find((each) => each.name === name);
    if (mutant === undefined) throw new Error(`no mutant is called ${name}`);
    return { area, ...mutant };
  });
}
