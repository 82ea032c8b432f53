import { readBodies } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { Recording } from '../../protocol/recording.ts';
import { ACKNOWLEDGE, CANCEL, FORGET, RELEASE, type Signal } from '../../protocol/signal.ts';
import { needsBodies } from '../../protocol/unsendable.ts';
import { channelKind } from '../channels/sending.ts';
import { callFunction, callMember, isByReference } from '../incoming/members.ts';
import type { SessionSettings } from '../settings.ts';
import type { Travelling } from '../travelling.ts';
import { atEndOfTurn } from '../turn.ts';
import { Call, failedCall, type Life, type OutgoingFrame } from './call.ts';
import { CallTable } from './call-table.ts';
import { CallWriter, explainUnsendable, IN_ARGUMENTS, NotSettled } from './call-writer.ts';
import { capture } from './capture.ts';
import { alreadyOver, limitCall } from './limit-call.ts';
import type { Node } from './node.ts';
import { FailedResult, outcomeOfBase, settledNode } from './settled-node.ts';

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
  /** Sends a frame that was finished, as soon as it can be. */
  sendCalls(frame: OutgoingFrame): void;
}

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
  /** Resolves when a call has been written that waits for the bytes of a Blob or the like: those made after it wait too. */
  #blocked: Promise<void> | undefined;
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
    const { options } = node;
    if (options === undefined) return this.#make(node, args);
    const over = alreadyOver(node.name, options);
    if (over !== undefined) return failedCall(node.name, over);
    const call = this.#make(node, args);
    limitCall(call, options, (reason) => this.#giveUp(call, reason));
    return call;
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

  #make(node: Node, args: unknown[] | undefined): Call {
    const outcome = outcomeOfBase(node);
    if (outcome !== undefined) return this.#goOn(node, args, settledNode(callee(node, args), outcome));
    if (this.#blocked !== undefined) return this.#after(this.#blocked, node, args);
    try {
      return this.#write(node, args);
    } catch (error) {
      this.#host.travelling.written(false);
      if (error instanceof FailedResult) return failedCall(node.name, error.error);
      if (error instanceof NotSettled) return this.#after(error.call.promise(), node, args);
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
  #goOn(node: Node, args: unknown[] | undefined, reached: ReturnType<typeof settledNode>): Call {
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
      const value = method === undefined ? callFunction(reached.value, args) : callMember(reached.value, method, args);
      settleWith(call, Promise.resolve(value));
    } catch (error) {
      call.settle({ ok: false, error });
    }
    return call;
  }

  /** Makes a call later, with the arguments as they are now. */
  #after(ready: Promise<unknown>, node: Node, args: unknown[] | undefined): Call {
    let restore: () => unknown[] | undefined = () => args;
    try {
      restore = capture(args, travels);
    } catch (error) {
      if (!needsBodies(error)) return failedCall(node.name, explainUnsendable(error, node.name, IN_ARGUMENTS));
    }
    const call = new Call(0, undefined, node.name);
    this.#waiting++;
    const goOn = () => {
      this.#waiting--;
      if (call.outcome === undefined) settleWith(call, this.#host.callThrough(node, restore()).promise());
    };
    ready.then(goOn, goOn);
    return call;
  }

  /** Makes a call when the bytes of Blobs and the like in its arguments have been read. */
  #afterBodies(node: Node, args: unknown[]): Call {
    const call = new Call(0, undefined, node.name);
    this.#waiting++;
    const write = async () => {
      try {
        const bodies = await readBodies(args);
        // Else it would be tried again for ever.
        if (bodies.size === 0) throw new RpcError('NOT_CLONEABLE', `${node.name}(): ${HIDDEN_BODY}`);
        for (const [holder, bytes] of bodies) this.#bodies.set(holder, bytes);
        this.#blocked = undefined;
        settleWith(call, this.#host.callThrough(node, args).promise());
      } catch (error) {
        call.settle({ ok: false, error: explainUnsendable(error, node.name, IN_ARGUMENTS) });
      }
      this.#blocked = undefined;
      this.#bodies.clear();
      this.#waiting--;
    };
    this.#blocked = write();
    return call;
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
    atEndOfTurn(() => this.#flushing && this.flush());
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
