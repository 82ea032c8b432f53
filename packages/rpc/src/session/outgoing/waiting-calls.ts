import { CloneError } from '@lumenize/structured-clone';
import { fromMessage, readText, type Types, textOf, toMessage } from '@lumenize/structured-clone/messages';
import { RpcError } from '../../errors/rpc-error.ts';
import { unsendableCode, unsendableReason } from '../../protocol/errors.ts';
import type { Call } from './call.ts';
import { callThrough, FailedResult, type Node } from './node.ts';

/**
 * Thrown when a call uses the result of an earlier call that was sent and has not settled. The call must wait for that
 * result.
 */
export class NotSettled {
  readonly call: Call;

  constructor(call: Call) {
    this.call = call;
  }
}

/**
 * Queues a call that could not be written until the bytes in its arguments have been read. Returns false if missing
 * bytes are not the cause.
 */
export type ReadAhead = (
  waiting: WaitingCalls,
  error: unknown,
  call: Call,
  node: Node,
  args: unknown[] | undefined,
) => boolean;

/** The types that the extensions of a session carry by value, and the hook that reads bytes ahead. */
interface Tables {
  readonly types: Types;
  readonly readAhead?: ReadAhead;
}

/**
 * Calls that cannot be written yet. They wait for a result, for the bytes of a `Blob`, or behind a call that waits for
 * bytes.
 */
export class WaitingCalls {
  /** The number of waiting calls. */
  size = 0;
  /** The bytes read from Blobs and similar objects, for the encoder. */
  readonly bodies = new Map<object, Uint8Array>();
  /**
   * Functions that make the calls behind a call that waits for bytes, run once that call has been written. Undefined if
   * no call waits for bytes.
   */
  queue: (() => void)[] | undefined;
  /** The call that waits for bytes, if there is one. */
  reading: Call | undefined;
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** Makes a call when a promise has settled, whether it resolved or rejected. */
  after(promise: Promise<unknown>, call: Call, node: Node, args: unknown[] | undefined): void {
    const make = this.later(call, node, args);
    promise.then(make, make);
  }

  /**
   * Queues a call that could not be written until the result or bytes it depends on arrive; fails it if nothing can
   * help.
   */
  unwritten(error: unknown, call: Call, node: Node, args: unknown[] | undefined): void {
    if (error instanceof FailedResult) call.fail(error.error);
    else if (error instanceof NotSettled) {
      const { call: base } = error;
      const ended = () => new Promise<void>((resolve) => base.onSettled(resolve));
      this.after(base.isKept ? ended() : base.promise(), call, node, args);
    } else if (!this.#tables.readAhead?.(this, error, call, node, args)) call.fail(explainUnsendable(error, node.name));
  }

  /** Returns a function that makes a call with the arguments as they are now. */
  later(call: Call, node: Node, args: unknown[] | undefined): () => void {
    const captured = args && capture(args, this.#tables.types);
    this.size++;
    return () => {
      this.size--;
      if (call.outcome === undefined) callThrough(call, node, captured?.());
    };
  }
}

/**
 * Keeps values as they are now, because they must wait before they can be written. Returns a function that gives them
 * back. Values that do not travel as a copy, and those whose bytes have yet to be read, are kept as they are. So are
 * values that cannot be copied: writing them will report the error.
 */
export function capture(values: unknown[], types: Types): () => unknown[] {
  const kept: object[] = [];
  const tail: Uint8Array[] = [];
  let text: string;
  try {
    const extend = (value: object) => ({ name: 'kept', parts: [kept.push(value) - 1] });
    const find: Types['find'] = (value, prototype) => {
      const row = types.find(value, prototype);
      return /^(Blob|File|Request|Response)$/.test(row?.name ?? '') ? undefined : row;
    };
    text = textOf(values, { types: { ...types, find }, tail }, { errorStacks: true, extend });
  } catch {
    return () => values;
  }
  const message = fromMessage(toMessage(text, tail));
  const revive = (_name: string, [place]: unknown[]) => kept[place as number];
  return () => {
    try {
      return readText(message.text, { types, tail: message.tail }, { revive }) as unknown[];
    } catch {
      return values; // a registered class may only be decoded by the peer
    }
  };
}

/** The paths at which the codec finds an argument, in an operation and in a list of arguments alone. */
const IN_OPERATION = /^at value\[2\]\[(\d+)\]/;
export const IN_ARGUMENTS = /^at value\[(\d+)\]/;

/** Turns an error of writing an operation into the library's error, in terms that the caller knows. */
export function explainUnsendable(error: unknown, name: string, place = IN_OPERATION): RpcError {
  if (error instanceof RpcError) return error;
  if (!(error instanceof CloneError)) {
    return new RpcError('NOT_CLONEABLE', `${name}(): an argument could not be read: ${error}`, { cause: error });
  }
  return new RpcError(
    unsendableCode(error),
    // The codec knows the whole operation as its value. The caller only knows the arguments.
    `${name}(): ${unsendableReason(error).replace(place, 'at argument $1')}`,
    { cause: error },
  );
}
