import { CloneError } from '@lumenize/structured-clone';
import { fromMessage, readText, type Types, textOf, toMessage } from '@lumenize/structured-clone/messages';
import { RpcError } from '../../errors/rpc-error.ts';
import { unsendableCode, unsendableReason } from '../../protocol/errors.ts';
import type { Call } from './call.ts';
import { callThrough, FailedResult, type Node } from './node.ts';

/** Thrown where a call uses the result of one that was sent before and has not settled: it has to wait for it. */
export class NotSettled {
  readonly call: Call;

  constructor(call: Call) {
    this.call = call;
  }
}

/** Has a call that could not be written wait for the bytes of its arguments, where it is these that it lacks. */
export type ReadAhead = (
  waiting: WaitingCalls,
  error: unknown,
  call: Call,
  node: Node,
  args: unknown[] | undefined,
) => boolean;

/** Types that the extensions of a session carry by value, and those whose bytes are read first. */
interface Tables {
  readonly types: Types;
  readonly readAhead?: ReadAhead;
}

/** Calls that cannot be written yet: they wait for a result, for the bytes of a `Blob`, or behind one that does. */
export class WaitingCalls {
  /** Number of waiting calls. */
  size = 0;
  /** Bytes read from Blobs and the like, for the encoder. */
  readonly bodies = new Map<object, Uint8Array>();
  /** Functions to run when a call has been written that others, made after it, wait behind. */
  queue: (() => void)[] | undefined;
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** Makes a call when a promise has settled, either way. */
  after(promise: Promise<unknown>, call: Call, node: Node, args: unknown[] | undefined): void {
    const make = this.later(call, node, args);
    promise.then(make, make);
  }

  /** Has a call whose writing threw wait for what it lacks, or fail. */
  unwritten(error: unknown, call: Call, node: Node, args: unknown[] | undefined): void {
    if (error instanceof FailedResult) call.fail(error.error);
    else if (error instanceof NotSettled) {
      const { call: base } = error;
      const ended = () => new Promise<void>((resolve) => base.onSettled(resolve));
      this.after(base.isKept ? ended() : base.promise(), call, node, args);
    } else if (!this.#tables.readAhead?.(this, error, call, node, args)) call.fail(explainUnsendable(error, node.name));
  }

  /** Returns what makes a call with the arguments as they are now. */
  later(call: Call, node: Node, args: unknown[] | undefined): () => void {
    const captured = capturedArguments(args, this.#tables.types);
    this.size++;
    return () => {
      this.size--;
      if (call.outcome === undefined) callThrough(call, node, captured());
    };
  }
}

/**
 * Keeps arguments as they are now, for a call that has to wait before it can be written; what it returns gives them back.
 * What does not travel as a copy is kept as it is, and so are arguments that cannot be copied yet, or not at all: writing
 * the call will say so.
 */
function capturedArguments(args: unknown[] | undefined, types: Types): () => unknown[] | undefined {
  if (args === undefined) return () => undefined;
  const kept: object[] = [];
  const tail: Uint8Array[] = [];
  let text: string;
  try {
    const extend = (value: object) => ({ name: 'kept', parts: [kept.push(value) - 1] });
    text = textOf(args, { types, tail }, { errorStacks: true, extend });
  } catch {
    return () => args;
  }
  const message = fromMessage(toMessage(text, tail));
  return () =>
    readText(
      message.text,
      { types, tail: message.tail },
      { revive: (_name, [place]) => kept[place as number] },
    ) as unknown[];
}

/** Paths at which the codec finds an argument, in an operation and in arguments alone. */
const IN_OPERATION = /^at value\[2\]\[(\d+)\]/;
export const IN_ARGUMENTS = /^at value\[(\d+)\]/;

/** Turns what writing an operation threw into the library's error, in the words of who made the call. */
export function explainUnsendable(error: unknown, name: string, place = IN_OPERATION): RpcError {
  if (error instanceof RpcError) return error;
  if (!(error instanceof CloneError)) {
    return new RpcError('NOT_CLONEABLE', `${name}(): an argument could not be read: ${error}`, { cause: error });
  }
  return new RpcError(
    unsendableCode(error),
    // The codec knows the whole operation as its value; its user knows the arguments.
    `${name}(): ${unsendableReason(error).replace(place, 'at argument $1')}`,
    { cause: error },
  );
}
