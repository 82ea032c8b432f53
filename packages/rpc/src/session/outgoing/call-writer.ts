import type { Encoder } from '@lumenize/structured-clone';
import { type Address, stepAddress } from '../../protocol/address.ts';
import { REVERSED } from '../../protocol/frame-kind.ts';
import type { OperationEntry } from '../../protocol/operation.ts';
import { type Signal, STEPS } from '../../protocol/signal.ts';
import { FULL_BYTES } from '../turn.ts';
import { Call, type Life, lostResult, newFrame, type OutgoingFrame, type Passed } from './call.ts';
import type { CallOptions, Node } from './node.ts';

/** The entry of an operation, and the list of its arguments, which the engine has made. */
const OWN_DEPTH = 2;

/** A frame with so many operations is full, however small they are. */
const FULL_OPERATIONS = 4096;

/** Thrown where a call uses the result of one that was sent before and has not settled: it has to wait for it. */
export class NotSettled {
  readonly call: Call;

  constructor(call: Call) {
    this.call = call;
  }
}

/** Writes the calls of a turn into one frame, each at the moment it is made: what happens to the arguments later changes nothing. */
export class CallWriter {
  readonly #encoder: Encoder;
  readonly #reversed: boolean;
  #nextId: number;
  /** The connection that calls are written for. */
  life: Life = { lost: false };
  #frame: OutgoingFrame | undefined;
  #calls: Call[] = [];
  /** Calls whose results the operation being written uses. */
  #uses: Call[] = [];
  /** Whether it uses something that only this connection has. */
  #isBound = false;

  /** `reversed` where calls are not what frames of this direction mostly hold. */
  /** Whether nothing has been written of the frame but its beginning. */
  #isEmpty = false;

  constructor(encoder: Encoder, reversed: boolean, firstId: number) {
    this.#nextId = firstId;
    this.#encoder = encoder;
    this.#reversed = reversed;
  }

  /** Whether the frame must be finished before another call is written. */
  get isFull(): boolean {
    return this.#encoder.size > FULL_BYTES || this.#calls.length >= FULL_OPERATIONS;
  }

  /** Bytes of the frame that is being written. */
  get size(): number {
    return this.#frame === undefined ? 0 : this.#encoder.size;
  }

  /**
   * Appends one operation.
   * @throws {RpcError} where an argument cannot be sent; the frame is as it was
   * @throws {NotSettled} where it has to wait for another call
   */
  write(node: Node, args: unknown[] | undefined): Call {
    this.#frame ??= this.#begin();
    // Left behind by one that failed.
    if (this.#uses.length > 0) this.#uses = [];
    this.#isBound = false;
    const { path, name, options } = node;
    const entry: OperationEntry = [this.address(node), path.length === 1 ? path[0] : path];
    if (args !== undefined) entry.push(args);
    if (options !== undefined) addTerms(entry, options);
    this.#encoder.write(entry, OWN_DEPTH);
    this.#isEmpty = false;
    const call = new Call(this.#nextId++, this.#frame, name);
    if (this.#uses.length > 0) {
      call.use(this.#uses);
      // Not kept here: what nobody else holds is to be let go of.
      this.#uses = [];
    }
    if (this.#isBound) this.bind(call);
    const step = args === undefined && node.base instanceof Call ? node.base.made : undefined;
    if (step?.isKept) call.reads = { step, path };
    this.#calls.push(call);
    return call;
  }

  /** Notes that a call is about something that only this connection has, such as what it passes. */
  bind(call: Call, passed?: readonly Passed[]): void {
    const frame = call.frame!;
    call.isBound = frame.isBound = true;
    if (passed === undefined) return;
    frame.passed ??= [];
    frame.passed.push(...passed);
  }

  /** Appends a signal; throws where its content cannot be sent. */
  signal(signal: Signal): void {
    this.#frame ??= this.#begin();
    this.#encoder.write(signal);
    this.#isEmpty = false;
  }

  /** Says where the operation being written finds what a stub of the same session stands for. */
  address({ base: from }: Node): Address {
    if (from === undefined) return 0;
    if (!(from instanceof Call)) {
      this.#isBound = true;
      return from.address();
    }
    const base = from.made;
    if (base.frame !== undefined && base.frame === this.#frame) {
      this.#uses.push(base);
      if (base.isBound) this.#isBound = true;
      return this.#nextId - base.id;
    }
    // One that has settled is gone on from where its result is, and does not come here.
    if (!base.isKept) throw new NotSettled(base);
    if (base.frame!.life.lost) {
      // Where it is sent again for what uses it, the other side keeps it again.
      throw base.isUsed ? new NotSettled(base) : lostResult(base.name, 'its connection was lost');
    }
    this.#uses.push(base);
    this.#isBound = true;
    return stepAddress(base.id);
  }

  /** Ends the frame and returns it; undefined where nothing was written. Calls that are only steps are told of. */
  finish(keepSteps?: (frame: OutgoingFrame, steps: readonly Call[]) => void): OutgoingFrame | undefined {
    const frame = this.#frame;
    const calls = this.#calls;
    // One that begins with a call that could not be written is for what is written next.
    if (frame === undefined || this.#isEmpty) return undefined;
    const steps = calls.filter((call) => call.isStep);
    if (steps.length > 0) this.#encoder.write([STEPS, ...steps.map((call) => call.id - frame.firstId)]);
    frame.message = this.#encoder.finish();
    if (steps.length > 0) {
      frame.steps = steps;
      keepSteps?.(frame, steps);
    }
    frame.answered = calls.length - steps.length;
    this.#frame = undefined;
    this.#calls = [];
    return frame;
  }

  /**
   * Notes that the connection is lost, and with it what the other side keeps. Returns what was being written: calls that are
   * not about that can be made over the next connection.
   */
  lost(keepSteps?: (frame: OutgoingFrame, steps: readonly Call[]) => void): OutgoingFrame | undefined {
    this.life.lost = true;
    this.life = { lost: false };
    const frame = this.#frame;
    if (frame !== undefined && !frame.isBound) frame.life = this.life;
    return this.finish(keepSteps);
  }

  #begin(): OutgoingFrame {
    if (this.#reversed) this.#encoder.write(REVERSED);
    this.#encoder.write(this.#nextId);
    this.#isEmpty = true;
    return newFrame(this.#nextId, this.life);
  }
}

/** Adds what a caller says of a call beside its arguments. */
function addTerms(entry: OperationEntry, { timeoutMs, traceparent }: CallOptions): void {
  if (timeoutMs === undefined && traceparent === undefined) return;
  entry[2] ??= undefined;
  entry[3] = timeoutMs;
  if (traceparent !== undefined) entry[4] = traceparent;
}
