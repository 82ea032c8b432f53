import { RpcError } from '../../errors/rpc-error.ts';
import type { Bounds, Effort, Waiting } from '../../session/admission.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import type { RpcLimits } from '../../session/limits.ts';
import { Gate } from './gate.ts';
import type { RateGates } from './rates.ts';

/** So many that are not in the frame itself count as one of it, which has more to it than that. */
const OPERATIONS_A_CHARGE = 10;

/** So many elements that are looked at, or copied, count as one operation: `at` looks at one. */
const ELEMENTS_AN_OPERATION: ReadonlyMap<unknown, number> = new Map([
  ['includes', 100],
  ['indexOf', 100],
  ['slice', 10],
  ['join', 10],
]);
const CHARACTERS_AN_OPERATION = 10;

/** Bounds also what the frames of one client come to beyond their operations. */
export class FrameGate extends Gate implements Bounds {
  readonly #limits: Readonly<RpcLimits>;

  constructor(
    limits: Readonly<RpcLimits>,
    waiting: Waiting,
    rates: RateGates,
    caller: Caller | undefined,
    endTooFast: (error: RpcError) => void,
  ) {
    super(waiting, rates, caller, endTooFast);
    this.#limits = limits;
  }

  spend(run: Effort, operations: number, bytes = 0): void {
    const { maxMapOperations, maxMessageBytes } = this.#limits;
    const charged = Math.floor(run.operations / OPERATIONS_A_CHARGE);
    run.operations += operations;
    run.bytes += bytes;
    const charge = Math.floor(run.operations / OPERATIONS_A_CHARGE) - charged;
    if (charge > 0) this.charge(charge);
    if (run.operations > maxMapOperations) {
      const hint = 'map fewer elements, or look through shorter lists';
      throw new RpcError('LIMIT_EXCEEDED', `maxMapOperations of ${maxMapOperations} exceeded: ${hint}`);
    }
    if (run.bytes > maxMessageBytes) {
      const hint = 'by the constants of a callback, for all elements: have them come from a result';
      throw new RpcError('LIMIT_EXCEEDED', `maxMessageBytes of ${maxMessageBytes} exceeded ${hint}`);
    }
  }

  spendOnList(run: Effort, { length }: readonly unknown[], method: string | undefined, result: unknown): void {
    const looked = length / (ELEMENTS_AN_OPERATION.get(method) ?? Number.POSITIVE_INFINITY);
    // Only text can be more than what was looked at.
    const made = typeof result === 'string' ? result.length / CHARACTERS_AN_OPERATION : 0;
    this.spend(run, Math.floor(looked) + Math.floor(made));
  }
}
