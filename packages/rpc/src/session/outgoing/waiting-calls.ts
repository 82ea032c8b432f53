import { type Loadable, NotLoaded } from '../../errors/not-loaded.ts';
import { RpcError } from '../../errors/rpc-error.ts';
import { Call } from './call.ts';
import type { LimitCall, Node } from './node.ts';
import type { StubSession } from './stub.ts';

/** Gives the arguments of a call that waited; throws where there are none that can be sent. */
export type Arguments = () => unknown[] | undefined;

/** Calls that cannot be written yet. */
export class WaitingCalls {
  /** How many there are. */
  size = 0;
  /** Whether the turn's frame waits for a call that is to be in it. */
  isHeld = false;
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
  behind(node: Node, args: Arguments): Call {
    const queue = this.#queue!;
    return this.after((goOn) => queue.push(goOn), node, args);
  }

  /** Makes a call later. */
  after(whenReady: (goOn: () => void) => void, node: Node, args: Arguments): Call {
    const call = new Call(0, undefined, node.name);
    this.size++;
    whenReady(() => {
      this.size--;
      if (call.outcome !== undefined) return;
      let made: Call;
      let giveUp = (given: Call, error: unknown) => given.settle({ ok: false, error });
      // Its time runs since it was called, not since it could be written.
      const limit: LimitCall = (_name, make, giveUpMade) => {
        giveUp = giveUpMade as typeof giveUp;
        return make();
      };
      try {
        made = callThrough(withLimit(node, limit), args());
      } catch (error) {
        if (!(error instanceof NotLoaded)) return call.settle({ ok: false, error });
        made = this.afterLoading(error.missing, node, args);
      }
      call.onSettled(() => {
        if (made.outcome === undefined && call.outcome?.ok === false) giveUp(made, call.outcome.error);
      });
      call.makeAs(made);
    });
    return call;
  }

  /** Makes a call when something is ready that it needs, and then those that were made after it. Where that fails, it is not made. */
  blockedBy(getReady: () => Promise<void>, node: Node, args: Arguments, failed: (error: unknown) => RpcError): Call {
    // One that needs nothing of the sort where it stands, such as to go on from a result, may still come behind others: its
    // own turn is when it asks again.
    if (this.isBlocked) return this.behind(node, args);
    const queue: (() => void)[] = [];
    this.#queue = queue;
    let failure: { error: unknown } | undefined;
    const goOn = () => {
      this.#queue = undefined;
      this.isHeld = false;
      for (const next of queue) {
        next();
        this.#wentOn();
      }
    };
    const call = this.behind(node, () => {
      if (failure !== undefined) throw failed(failure.error);
      return args();
    });
    getReady().then(goOn, (error) => {
      failure = { error };
      goOn();
    });
    return call;
  }

  /** Makes a call when a part of the library has been loaded, in the turn's frame where that has not been sent since. */
  afterLoading(missing: Loadable, node: Node, args: Arguments): Call {
    this.isHeld = true;
    const failed = (cause: unknown) =>
      new RpcError('NOT_EXECUTED', `${node.name}() was not called: ${(cause as Error).message}`, { cause });
    return this.blockedBy(() => missing.load(), node, args, failed);
  }
}

/** Replaces how a call is given up, where it can be. */
function withLimit(node: Node, limit: LimitCall): Node {
  return node.options?.limit === undefined ? node : { ...node, options: { ...node.options, limit } };
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
