import { fromMessage, readText, type Types, textOf, toMessage } from '@lumenize/structured-clone/messages';
import { RpcError } from '../../errors/rpc-error.ts';
import { needsBodies } from '../../protocol/errors.ts';
import type { ExtensionTables } from '../extension.ts';
import type { Call } from './call.ts';
import { explainUnsendable, IN_ARGUMENTS } from './explain-unsendable.ts';
import { callThrough, type Node } from './node.ts';
import { FailedResult } from './settled-node.ts';

const HIDDEN_BODY =
  'a result that holds a Blob, a Request or the like cannot be passed on: await it, and pass its value';

/** Thrown where a call uses the result of one that was sent before and has not settled: it has to wait for it. */
export class NotSettled {
  readonly call: Call;

  constructor(call: Call) {
    this.call = call;
  }
}

/** Calls that cannot be written yet: they wait for a result, for the bytes of a `Blob`, or behind one that does. */
export class WaitingCalls {
  /** How many there are. */
  size = 0;
  /** What was read of Blobs and the like, for the encoder. */
  readonly bodies = new Map<object, Uint8Array>();
  /** What to do when a call has been written that others wait behind, because they were made after it. */
  queue: (() => void)[] | undefined;
  readonly #tables: Pick<ExtensionTables, 'types' | 'readBodies'>;

  constructor(tables: Pick<ExtensionTables, 'types' | 'readBodies'>) {
    this.#tables = tables;
  }

  /** Makes a call behind those that wait. */
  behind(call: Call, node: Node, args: unknown[] | undefined): void {
    this.queue!.push(this.#later(call, node, args));
  }

  /** Makes a call when a promise has settled, either way. */
  after(promise: Promise<unknown>, call: Call, node: Node, args: unknown[] | undefined): void {
    const make = this.#later(call, node, args);
    promise.then(make, make);
  }

  /** Has a call whose writing threw wait for what it lacks, or fail. */
  unwritten(error: unknown, call: Call, node: Node, args: unknown[] | undefined): void {
    if (error instanceof FailedResult) call.fail(error.error);
    else if (error instanceof NotSettled) {
      const { call: base } = error;
      const ended = () => new Promise<void>((resolve) => base.onSettled(resolve));
      this.after(base.isKept ? ended() : base.promise(), call, node, args);
    } else if (needsBodies(error) && this.bodies.size === 0) void this.#whenRead(call, node, args);
    else call.fail(explainUnsendable(error, node.name));
  }

  /** Returns what makes a call with the arguments as they are now. */
  #later(call: Call, node: Node, args: unknown[] | undefined): () => void {
    const captured = capturedArguments(args, this.#tables.types);
    this.size++;
    return () => {
      this.size--;
      if (call.outcome === undefined) callThrough(call, node, captured());
    };
  }

  /** Makes a call when the bodies among its arguments have been read, and then those that were made after it. */
  async #whenRead(call: Call, node: Node, args: unknown[] | undefined): Promise<void> {
    const { name } = node;
    const queue = [this.#later(call, node, args)];
    this.queue = queue;
    try {
      const found = await this.#tables.readBodies(args);
      // Else it would be tried again for ever.
      if (found.size === 0) throw new RpcError('NOT_CLONEABLE', `${name}(): ${HIDDEN_BODY}`);
      for (const [holder, bytes] of found) this.bodies.set(holder, bytes);
    } catch (error) {
      call.fail(explainUnsendable(error, name, IN_ARGUMENTS));
    }
    this.queue = undefined;
    for (const next of queue) {
      next();
      // They were for the one that has been written.
      this.bodies.clear();
    }
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
