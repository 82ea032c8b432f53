import { readBodies } from '@lumenize/structured-clone';
import { type Loadable, NotLoaded } from '../../errors/not-loaded.ts';
import { RpcError } from '../../errors/rpc-error.ts';
import { Recording } from '../../protocol/recording.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { ACKNOWLEDGE, CANCEL, FORGET, RELEASE, type Signal } from '../../protocol/signal.ts';
import { needsBodies } from '../../protocol/unsendable.ts';
import { channelKind } from '../channels/channel-kind.ts';
import { isByReference } from '../references/by-reference.ts';
import type { SessionSettings } from '../settings.ts';
import type { Travelling } from '../travelling.ts';
import { atEndOfTurn } from '../turn.ts';
import { Call, failedCall, type Life, type OutgoingFrame } from './call.ts';
import { CallTable } from './call-table.ts';
import { CallWriter, NotSettled } from './call-writer.ts';
import { capture } from './capture.ts';
import { explainUnsendable, IN_ARGUMENTS } from './explain-unsendable.ts';
import { alreadyOver, limitCall } from './limit-call.ts';
import type { Node } from './node.ts';
import { FailedResult, outcomeOfBase } from './outcome.ts';

/** What the calling half of a session needs of it. */
export interface OutgoingHost {
  readonly settings: SessionSettings;
  readonly travelling: Travelling;
  /** Whether the other side keeps nothing beyond a frame. */
  readonly isStateless: boolean;
  /** Ids of calls begin above this. */
  readonly firstId: number;
  /** Makes a call on whatever session a stub belongs to. */
  callThrough(node: Node, args: unknown[] | undefined): Call;
  /** Follows a path from a result that has arrived: to a stub or to a value. */
  settledNode(node: Node, outcome: Outcome): Node | Outcome;
  /** Calls a method of a result that has arrived, or without a name the result itself. */
  callSettled(value: unknown, method: string | undefined, args: unknown[]): unknown;
  /** Sends a frame that was finished, as soon as it can be. */
  sendCalls(frame: OutgoingFrame): void;
}

/** Gives the arguments of a call that waited; throws where there are none that can be sent. */
type Arguments = () => unknown[] | undefined;

/** Calls whose results the other side keeps. */
interface Steps {
  ids: number[];
  life: Life;
}

const HIDDEN_BODY =
  'a result that holds a Blob, a Request or the like cannot be passed on: await it, and pass its value';

/** The half of a session that makes calls: a turn's calls leave as one frame, and all of them settle. */
export class Outgoing {
  readonly table = new CallTable();
  readonly #host: OutgoingHost;
  readonly #bodies = new Map<object, Uint8Array>();
  #writer: CallWriter | undefined;
  /** Ids of references that are no longer held, each with its count. */
  readonly #released: number[] = [];
  /** Ids of steps that are no longer needed. */
  readonly #forgotten: number[] = [];
  /** Ids of calls whose results have arrived, and which the other side has stored. */
  readonly #arrived: number[] = [];
  #flushing = false;
  /** What to do when a call has been written that waits for the bytes of a Blob or the like, or for a part of the library: calls made after it wait too. */
  #queue: (() => void)[] | undefined;
  /** Whether the turn's frame waits for a call that is to be in it. */
  #isHeld = false;
  /** Calls that wait to be written. */
  #waiting = 0;
  /** Frames whose calls nobody holds any more: then nobody can go on from their steps. */
  #collected: FinalizationRegistry<Steps> | undefined;

  constructor(host: OutgoingHost) {
    this.#host = host;
  }

  /** Calls that have not settled. */
  get size(): number {
    return this.table.size + this.#waiting;
  }

  /** Says where the operation being written finds what a stub stands for. */
  address(node: Node): number {
    return this.#getWriter().address(node);
  }

  /** Makes an operation; arguments are undefined for reading a property. Never throws: a failure is the call's outcome. */
  call(node: Node, args: unknown[] | undefined): Call {
    return node.options === undefined ? this.#make(node, args) : this.#limited(node, () => this.#make(node, args));
  }

  /** Makes an operation whose arguments can only be made when a part of the library has been loaded. */
  callWhenLoaded(missing: Loadable, node: Node, args: () => unknown[]): Call {
    const queue = this.#queue;
    return this.#limited(node, () =>
      queue === undefined
        ? this.#afterLoading(missing, node, args)
        : this.#after((goOn) => queue.push(goOn), node, args),
    );
  }

  /** Appends a signal to the turn's frame; throws where its content cannot be sent. */
  signal(signal: Signal): void {
    this.#getWriter().signal(signal);
    this.#soon();
  }

  /** Tells the other side that a reference is no longer held; `collected` where garbage collection found that out. */
  release(id: number, count: number, collected: boolean): void {
    this.#released.push(id, count);
    this.#soonUnless(collected);
  }

  /** Notes that a result has arrived which the other side has stored: it is told with what is sent next. */
  arrived(id: number): void {
    this.#arrived.push(id);
  }

  /** Lets go of the result of a call. */
  disposeResult(call: Call): void {
    if (call.isKept) return this.#forget({ ids: [call.id], life: call.frame!.life }, false);
    call.promise().then(
      (value) => (value as Partial<Disposable> | undefined)?.[Symbol.dispose]?.(),
      () => {}, // what failed has nothing to let go of
    );
  }

  /** Sends what has been written. */
  flush(): void {
    this.#flushing = false;
    if (this.#released.length > 0) this.#getWriter().signal([RELEASE, ...this.#released.splice(0)]);
    if (this.#forgotten.length > 0) this.#getWriter().signal([FORGET, ...this.#forgotten.splice(0)]);
    if (this.#arrived.length > 0) this.#getWriter().signal([ACKNOWLEDGE, ...this.#arrived.splice(0)]);
    const frame = this.#writer?.finish((finished, steps) => this.#keepSteps(finished, steps));
    if (frame !== undefined) this.#host.sendCalls(frame);
  }

  /**
   * Settles calls when the connection is lost: `mayHaveRun` says whether what was sent can have run. With `isResumed` only
   * those that cannot be made over another connection; the frames of the others are returned.
   */
  lost(reason: RpcError, mayHaveRun: boolean, isResumed: boolean): ReadonlySet<OutgoingFrame> {
    // What is still being written must not be sent over the next connection as it is.
    this.#writer?.lost(isResumed ? (frame, steps) => this.#keepSteps(frame, steps) : undefined);
    this.#released.length = this.#forgotten.length = 0;
    return this.table.lost(reason, mayHaveRun, isResumed);
  }

  /** Makes a call that its caller can give up, where options say how. */
  #limited(node: Node, make: () => Call): Call {
    const { name, options = {} } = node;
    const over = alreadyOver(name, options);
    if (over !== undefined) return failedCall(name, over);
    const call = make();
    limitCall(call, options, (reason) => this.#giveUp(call, reason));
    return call;
  }

  #make(node: Node, args: unknown[] | undefined): Call {
    const outcome = outcomeOfBase(node);
    const queue = this.#queue;
    if (outcome === undefined && queue !== undefined) {
      return this.#after((goOn) => queue.push(goOn), node, this.#capture(node, args));
    }
    try {
      if (outcome === undefined) return this.#write(node, args);
      return this.#goOn(node, args, this.#host.settledNode(callee(node, args), outcome));
    } catch (error) {
      this.#host.travelling.written(false);
      if (error instanceof FailedResult) return failedCall(node.name, error.error);
      if (error instanceof NotSettled) {
        const before = error.call.promise();
        return this.#after((goOn) => before.then(goOn, goOn), node, this.#capture(node, args));
      }
      if (error instanceof NotLoaded) return this.#afterLoading(error.missing, node, this.#capture(node, args));
      if (needsBodies(error) && this.#bodies.size === 0) return this.#afterBodies(node, args!);
      return failedCall(node.name, explainUnsendable(error, node.name));
    }
  }

  #write(node: Node, args: unknown[] | undefined): Call {
    const writer = this.#getWriter();
    const call = writer.write(node, args);
    if (this.#host.travelling.written(true, (listener) => call.onSettled(listener))) writer.bind(call);
    this.table.add(call);
    if (writer.isFull) this.flush();
    else this.#soon();
    return call;
  }

  /** Goes on from a result that has arrived: through the stub that it leads to, or on the value itself. */
  #goOn(node: Node, args: unknown[] | undefined, reached: Node | Outcome): Call {
    const { name, options } = node;
    const method = node.path.at(-1);
    if (!('ok' in reached)) {
      const path = args === undefined || method === undefined ? reached.path : [...reached.path, method];
      return this.#host.callThrough({ ...reached, path, name, options: options ?? reached.options }, args);
    }
    const call = new Call(0, undefined, name);
    if (args === undefined || !reached.ok) {
      call.settle(reached);
      return call;
    }
    // The callback is for the server to run, wherever the list is by now.
    if (args[0] instanceof Recording) {
      return this.#make({ ...node, base: undefined, path: [] }, [args[0], method, reached.value, ...args.slice(1)]);
    }
    try {
      settleWith(call, Promise.resolve(this.#host.callSettled(reached.value, method, args)));
    } catch (error) {
      call.settle({ ok: false, error });
    }
    return call;
  }

  /** Keeps the arguments of a call as they are now; what it returns gives them back. */
  #capture(node: Node, args: unknown[] | undefined): Arguments {
    try {
      return capture(args, travels);
    } catch (error) {
      if (needsBodies(error) || error instanceof NotLoaded) return () => args;
      const reason = explainUnsendable(error, node.name, IN_ARGUMENTS);
      return () => {
        throw reason;
      };
    }
  }

  /** Makes a call later. */
  #after(whenReady: (goOn: () => void) => void, node: Node, args: Arguments): Call {
    const call = new Call(0, undefined, node.name);
    this.#waiting++;
    whenReady(() => {
      this.#waiting--;
      if (call.outcome !== undefined) return;
      let made: Call;
      try {
        made = this.#host.callThrough(node, args());
      } catch (error) {
        if (!(error instanceof NotLoaded)) return call.settle({ ok: false, error });
        made = this.#afterLoading(error.missing, node, args);
      }
      settleWith(call, made.promise());
    });
    return call;
  }

  /** Makes a call when something is ready that it needs, and then those that were made after it. Where that fails, it is not made. */
  #blockedBy(ready: Promise<void>, node: Node, args: Arguments, failed: (error: unknown) => RpcError): Call {
    const queue: (() => void)[] = [];
    this.#queue = queue;
    let failure: { error: unknown } | undefined;
    const goOn = () => {
      this.#queue = undefined;
      this.#isHeld = false;
      for (const next of queue) {
        next();
        // They were for the first.
        this.#bodies.clear();
      }
      this.#soon();
    };
    const call = this.#after(
      (write) => queue.push(write),
      node,
      () => {
        if (failure !== undefined) throw failed(failure.error);
        return args();
      },
    );
    ready.then(goOn, (error) => {
      failure = { error };
      goOn();
    });
    return call;
  }

  /** Makes a call when a part of the library has been loaded, in the turn's frame where that has not been sent since. */
  #afterLoading(missing: Loadable, node: Node, args: Arguments): Call {
    this.#isHeld = true;
    return this.#blockedBy(missing.load(), node, args, (cause) => {
      const message = `${node.name}() was not called: a part of the library (${missing.name}) could not be loaded: ${cause}`;
      return new RpcError('NOT_EXECUTED', message, { cause });
    });
  }

  /** Makes a call when the bytes of Blobs and the like in its arguments have been read. */
  #afterBodies(node: Node, args: unknown[]): Call {
    const read = async () => {
      const bodies = await readBodies(args);
      // Else it would be tried again for ever.
      if (bodies.size === 0) throw new RpcError('NOT_CLONEABLE', `${node.name}(): ${HIDDEN_BODY}`);
      for (const [holder, bytes] of bodies) this.#bodies.set(holder, bytes);
    };
    return this.#blockedBy(
      read(),
      node,
      () => args,
      (error) => explainUnsendable(error, node.name, IN_ARGUMENTS),
    );
  }

  #giveUp(call: Call, reason: RpcError): void {
    const { frame } = call;
    if (frame !== undefined) {
      this.table.delete(call);
      if (!frame.life.lost && !this.#host.isStateless) this.signal([CANCEL, call.id, reason.code]);
    }
    call.settle({ ok: false, error: reason });
  }

  #keepSteps(frame: OutgoingFrame, steps: readonly Call[]): void {
    for (const step of steps) this.table.delete(step);
    this.#collected ??= new FinalizationRegistry((gone) => this.#forget(gone, true));
    this.#collected.register(frame, { ids: steps.map(({ id }) => id), life: frame.life });
  }

  /** Tells the other side, where it is still the same, that it need not keep the results of steps. */
  #forget({ ids, life }: Steps, collected: boolean): void {
    if (life.lost || this.#host.isStateless) return;
    this.#forgotten.push(...ids);
    this.#soonUnless(collected);
  }

  /** A Worker may not send when garbage collection calls: there it goes with what is sent next. */
  #soonUnless(collected: boolean): void {
    if (!collected || this.#host.settings.side === 'client') this.#soon();
  }

  #getWriter(): CallWriter {
    this.#writer ??= new CallWriter(
      this.#host.settings.createCallEncoder((value) => this.#host.travelling.extend(value, true), this.#bodies),
      this.#host.settings.side === 'server',
      this.#host.firstId + 1,
    );
    return this.#writer;
  }

  /** Sends when the turn has ended. */
  #soon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    atEndOfTurn(() => {
      this.#flushing &&= !this.#isHeld;
      if (this.#flushing) this.flush();
    });
  }
}

/** Whether a value is kept as it is while a call waits: it does not travel as a copy. */
function travels(value: object): boolean {
  return isByReference(value) || value instanceof Recording || channelKind(value) !== undefined;
}

/** The node without the name of the method that is called on it. */
function callee(node: Node, args: unknown[] | undefined): Node {
  return args === undefined ? node : { ...node, path: node.path.slice(0, -1) };
}

function settleWith(call: Call, promise: Promise<unknown>): void {
  promise.then(
    (value) => call.settle({ ok: true, value }),
    (error) => call.settle({ ok: false, error }),
  );
}
