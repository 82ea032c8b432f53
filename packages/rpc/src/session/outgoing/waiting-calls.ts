import { createDecoder, createEncoder, readBodies } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { needsBodies } from '../../protocol/unsendable.ts';
import { Call, failedCall } from './call.ts';
import { NotSettled } from './call-writer.ts';
import { explainUnsendable, IN_ARGUMENTS } from './explain-unsendable.ts';
import type { LimitCall, Node } from './node.ts';
import { FailedResult } from './outcome.ts';
import type { StubSession } from './stub.ts';

const HIDDEN_BODY =
  'a result that holds a Blob, a Request or the like cannot be passed on: await it, and pass its value';

/** Gives the arguments of a call that waited; throws where there are none that can be sent. */
type Arguments = () => unknown[] | undefined;

/** Calls that cannot be written yet: they wait for a result, for the bytes of a `Blob`, or behind one that does. */
export class WaitingCalls {
  /** How many there are. */
  size = 0;
  /** What was read of Blobs and the like, for the encoder. */
  readonly bodies = new Map<object, Uint8Array>();
  readonly #wentOn: () => void;
  /** What to do when a call has been written that others wait behind, because they were made after it. */
  #queue: (() => void)[] | undefined;

  /** `wentOn` is called when a call has gone on that others wait behind, and after each of these. */
  constructor(wentOn: () => void) {
    this.#wentOn = wentOn;
  }

  /** Whether what is called has to wait behind others. */
  get isBlocked(): boolean {
    return this.#queue !== undefined;
  }

  /** Makes a call behind those that wait. */
  behind(node: Node, args: unknown[] | undefined): Call {
    return this.#behind(node, capturedArguments(args));
  }

  /** Says what becomes of a call whose writing threw: it waits for what it lacks, or fails. */
  unwritten(error: unknown, node: Node, args: unknown[] | undefined): Call {
    const { name } = node;
    if (error instanceof FailedResult) return failedCall(name, error.error);
    if (error instanceof NotSettled) {
      const { call } = error;
      const before = call.isKept ? new Promise<void>((resolve) => call.onSettled(resolve)) : call.promise();
      return this.#after((goOn) => before.then(goOn, goOn), node, capturedArguments(args));
    }
    if (!needsBodies(error) || this.bodies.size > 0) return failedCall(name, explainUnsendable(error, name));
    return this.#whenRead(node, args);
  }

  #behind(node: Node, args: Arguments): Call {
    const queue = this.#queue!;
    return this.#after((goOn) => queue.push(goOn), node, args);
  }

  /** Makes a call later. */
  #after(whenReady: (goOn: () => void) => void, node: Node, args: Arguments): Call {
    const call = new Call(0, undefined, node.name);
    this.size++;
    whenReady(() => {
      this.size--;
      if (call.outcome !== undefined) return;
      let made: Call;
      let giveUp = (given: Call, error: unknown) => given.settle({ ok: false, error });
      // Its time runs since it was called, not since it could be written.
      const limit: LimitCall = (_node, make, giveUpMade) => {
        giveUp = giveUpMade as typeof giveUp;
        return make();
      };
      try {
        made = callThrough(withLimit(node, limit), args());
      } catch (error) {
        return call.settle({ ok: false, error });
      }
      call.onSettled(() => {
        if (made.outcome === undefined && call.outcome?.ok === false) giveUp(made, call.outcome.error);
      });
      call.makeAs(made);
    });
    return call;
  }

  /** Makes a call when the bodies among its arguments have been read, and then those that were made after it. */
  #whenRead(node: Node, args: unknown[] | undefined): Call {
    const queue: (() => void)[] = [];
    this.#queue = queue;
    let failure: { error: unknown } | undefined;
    const goOn = () => {
      this.#queue = undefined;
      for (const next of queue) {
        next();
        // They were for the one that has been written.
        this.bodies.clear();
        this.#wentOn();
      }
    };
    const call = this.#behind(node, () => {
      if (failure !== undefined) throw explainUnsendable(failure.error, node.name, IN_ARGUMENTS);
      return args;
    });
    this.#readBodies(node, args).then(goOn, (error) => {
      failure = { error };
      goOn();
    });
    return call;
  }

  async #readBodies({ name }: Node, args: unknown[] | undefined): Promise<void> {
    const found = await readBodies(args);
    // Else it would be tried again for ever.
    if (found.size === 0) throw new RpcError('NOT_CLONEABLE', `${name}(): ${HIDDEN_BODY}`);
    for (const [holder, bytes] of found) this.bodies.set(holder, bytes);
  }
}

/** Replaces how a call is given up, where it can be. */
function withLimit(node: Node, limit: LimitCall): Node {
  return node.options === undefined ? node : { ...node, options: { ...node.options, limit } };
}

/** Makes a call on whatever session a stub belongs to. */
export function callThrough(node: Node, args: unknown[] | undefined): Call {
  return (node.owner as StubSession).call(node, args);
}

/** Has a call settle as a promise does. */
export function settleWith(call: Call, promise: Promise<unknown>): void {
  promise.then(
    (value) => call.settle({ ok: true, value }),
    (error) => call.settle({ ok: false, error }),
  );
}

/**
 * Keeps arguments as they are now, for a call that has to wait before it can be written; what it returns gives them back.
 * What does not travel as a copy is kept as it is, and so are arguments that cannot be copied yet, or not at all: writing
 * the call will say so.
 */
function capturedArguments(args: unknown[] | undefined): () => unknown[] | undefined {
  if (args === undefined) return () => undefined;
  const kept: object[] = [];
  let bytes: Uint8Array;
  try {
    const encoder = createEncoder({
      errorStacks: true,
      extend: (value) => ({ kind: 0, payload: kept.push(value) - 1 }),
    });
    encoder.write(args);
    bytes = encoder.finish();
  } catch {
    return () => args;
  }
  return () => {
    let captured: unknown[] | undefined;
    const decode = createDecoder({ revive: (_kind, place) => kept[place as number] });
    decode(bytes, (value) => {
      captured = value as unknown[];
    });
    return captured;
  };
}
