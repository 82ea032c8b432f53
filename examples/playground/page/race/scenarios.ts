/** What both contestants can be asked, in each library's own way; an answer is awaited. */
export interface RaceStub {
  increment(): PromiseLike<number>;
  getValue(): PromiseLike<number>;
  owner(): { profile(): { name: PromiseLike<string> } };
  echo(bytes: Uint8Array): PromiseLike<Uint8Array>;
}

export type ScenarioId = 'reads' | 'writes' | 'turn' | 'chain' | 'bytes';

/** What is raced. */
export interface Scenario {
  readonly id: ScenarioId;
  readonly title: string;
  /** The code of one turn, as it is run. */
  readonly code: string;
  /** Calls of one turn, all made at once. */
  readonly calls: number;
  /**
   * Makes the calls of one turn, and waits for all answers.
   * @throws {Error} where an answer is not what it has to be
   */
  turn(stub: RaceStub): Promise<void>;
}

const CALLS_IN_A_TURN = 100;
const KIBIBYTE = 1024;

/** Bytes that nothing can make shorter, the same each time: a counter multiplied by a large odd number. */
const BYTES = Uint8Array.from({ length: 64 * KIBIBYTE }, (_, i) => (Math.imul(i + 1, 0x9e37_79b1) >>> 13) & 0xff);

export const SCENARIOS: readonly Scenario[] = [
  {
    id: 'reads',
    title: 'One read at a time',
    code: 'await counter.getValue()',
    calls: 1,
    turn: async (stub) => check(typeof (await stub.getValue()) === 'number'),
  },
  {
    id: 'writes',
    title: 'One write at a time',
    code: 'await counter.increment()',
    calls: 1,
    turn: async (stub) => check((await stub.increment()) > 0),
  },
  {
    id: 'turn',
    title: '100 writes in a turn',
    code: 'await Promise.all(Array.from({ length: 100 }, () => counter.increment()))',
    calls: CALLS_IN_A_TURN,
    async turn(stub) {
      const values = await Promise.all(Array.from({ length: CALLS_IN_A_TURN }, () => stub.increment()));
      check(values[CALLS_IN_A_TURN - 1] - values[0] === CALLS_IN_A_TURN - 1);
    },
  },
  {
    id: 'chain',
    title: 'A chain of three',
    code: 'await counter.owner().profile().name',
    calls: 1,
    turn: async (stub) => check((await stub.owner().profile().name) === 'Ada'),
  },
  {
    id: 'bytes',
    title: '64 KiB there and back',
    code: 'await counter.echo(new Uint8Array(65_536))',
    calls: 1,
    async turn(stub) {
      const { length, [length - 1]: last } = await stub.echo(BYTES);
      check(length === BYTES.length && last === BYTES[length - 1]);
    },
  },
];

function check(isRight: boolean): void {
  if (!isRight) throw new Error('an answer was not what it has to be');
}
