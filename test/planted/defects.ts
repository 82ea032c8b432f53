import { MUTANTS } from '../../packages/simulation/src/mutants/all.ts';

/** A defect to plant: what is found once in a file, and what is put in its place. */
export interface Defect {
  readonly area: 'codec' | 'protocol' | 'client' | 'server' | 'topics' | 'access';
  readonly name: string;
  /** From the project's root. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const BINARY = 'packages/structured-clone/src/binary';
const RPC = 'packages/rpc/src';

/** Some for each area, of different kinds: nobody has looked at which test finds them before they were written down. */
export const DEFECTS: readonly Defect[] = [
  {
    area: 'codec',
    name: 'minus-zero-arrives-as-zero',
    file: `${BINARY}/encoder.ts`,
    find: 'if (Number.isSafeInteger(value) && !Object.is(value, -0)) {',
    replace: 'if (Number.isSafeInteger(value)) {',
  },
  {
    area: 'codec',
    name: 'negative-hundredths-are-read-as-positive-ones',
    file: `${BINARY}/decoder.ts`,
    find: '((zigzag >>> 1) ^ -(zigzag & 1)) / 100',
    replace: '(zigzag >>> 1) / 100',
  },
  {
    area: 'codec',
    name: 'objects-without-prototype-arrive-with-one',
    file: `${BINARY}/encoder.ts`,
    find: '(shape.hasPrototype ? 0 : tags.NULL_PROTOTYPE)',
    replace: '0',
  },
  {
    area: 'codec',
    name: 'nothing-is-nested-too-deep-to-be-read',
    file: `${BINARY}/decoder.ts`,
    find: "if (++recursion + above > maxDepth) throw limitExceeded('maxDepth', limits);",
    replace: 'recursion++;',
  },
  {
    area: 'codec',
    name: 'strings-of-a-value-that-was-taken-back-are-referred-to',
    file: `${BINARY}/encoder.ts`,
    find: 'text = textBefore;\n    forget();\n    reserve(1);\n    buffer[position++] = tags.RESET;',
    replace: 'text = textBefore;',
  },
  {
    area: 'codec',
    name: 'blocks-of-numbers-end-one-too-early',
    file: `${BINARY}/numbers.ts`,
    find: 'for (let index = 0; index < length; index++) block[index] = items[index] as number;',
    replace: 'for (let index = 0; index < length - 1; index++) block[index] = items[index] as number;',
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
    file: `${RPC}/protocol/result-reference.ts`,
    find: 'readAddress(payload[0], index)',
    replace: 'readAddress(payload[0], index + 1)',
  },
  {
    area: 'protocol',
    name: 'a-frame-has-one-operation-more-than-it-may',
    file: `${RPC}/protocol/call-reader.ts`,
    find: 'this.count === this.#maxOperations',
    replace: 'this.count > this.#maxOperations',
  },
  {
    area: 'protocol',
    name: 'a-frame-that-is-sent-again-does-not-say-so',
    file: `${RPC}/protocol/resent.ts`,
    find: 'ageMs === undefined ? undefined : Math.ceil(ageMs)',
    replace: 'undefined',
  },
  {
    area: 'client',
    name: 'clients-do-not-wait-longer-from-attempt-to-attempt',
    file: `${RPC}/client/backoff.ts`,
    find: '2 ** this.#attempts++',
    replace: '1',
  },
  {
    area: 'client',
    name: 'a-connection-that-does-not-answer-is-asked-for-ever',
    file: `${RPC}/client/heartbeat.ts`,
    find: "return isLate ? this.ask() : this.#watched.drop(CLOSE_ABNORMAL, 'no sign of life');",
    replace: 'return this.ask();',
  },
  {
    area: 'client',
    name: 'an-attempt-may-take-for-ever',
    file: `${RPC}/client/link.ts`,
    find: "this.#timer.set(this.#options.connectTimeoutMs, () => this.drop(CLOSE_ABNORMAL, 'it takes too long'));",
    replace: 'this.#timer.stop();',
  },
  ...simulated('client', 'delivery', [
    'calls-that-have-been-sent-are-taken-for-calls-that-have-not',
    'calls-that-pass-functions-are-made-again-without-them',
  ]),
  ...simulated('server', 'delivery', [
    'the-result-of-an-exactly-once-call-is-stored-outside-of-a-transaction',
    'results-of-other-clients-go-with-those-that-have-arrived',
    'an-exactly-once-method-is-delivered-as-an-idempotent-one',
  ]),
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

/** Defects of the simulator's own list, which `npm test` has to find too. */
function simulated(area: Defect['area'], list: string, names: readonly string[]): Defect[] {
  return names.map((name) => {
    const mutant = MUTANTS[list].find((each) => each.name === name);
    if (mutant === undefined) throw new Error(`no mutant is called ${name}`);
    return { area, ...mutant };
  });
}
