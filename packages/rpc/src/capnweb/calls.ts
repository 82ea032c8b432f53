import { RpcError } from '../errors/rpc-error.ts';
import type { CallFrame } from '../protocol/call-reader.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import type { ProtocolHost, SharedContext } from '../server/options.ts';
import { type Caller, RunningCall, type SessionCounts } from '../session/incoming/call-context.ts';
import type { Pending } from '../session/incoming/held-results.ts';
import { outcomeOf } from '../session/incoming/perform.ts';
import { defectBehind, wasThrown } from '../session/incoming/thrown.ts';
import { dispose } from '../session/references/by-reference.ts';
import { Exports } from '../session/references/exports.ts';
import { MessageAdmission } from './admission.ts';
import { ClientStubs, type Exchange } from './references.ts';
import { expose, exposeThrown, receive } from './values.ts';

/** The target of a connection, and its caller. */
export interface Served {
  readonly target: object;
  readonly caller: Caller;
  readonly host: ProtocolHost;
  /** True if methods may be called that are declared `exactlyOnce`. */
  readonly atMostOnce: boolean;
}

/** Runs the calls of a client as those of the library's own sessions run, and converts what they exchange. */
export class CapnWebCalls implements Exchange {
  readonly caller: Caller;
  readonly atMostOnce: boolean;
  readonly admission: MessageAdmission;
  /** A client has no name here under which results could be stored. */
  readonly results = undefined;
  readonly exports: Exports;
  readonly stubs = new ClientStubs(this);
  /** Error that the connection ends, or has ended, with. */
  ended: RpcError | undefined;
  readonly #context: SharedContext;
  readonly #running = new Set<RunningCall>();
  #nextCallId = 1;

  constructor({ caller, host: { context }, atMostOnce }: Served) {
    this.caller = caller;
    this.atMostOnce = atMostOnce;
    this.admission = new MessageAdmission(context, caller);
    this.exports = new Exports(context.settings.limits.maxReferences, 0, { retain() {}, release: dispose });
    this.#context = context;
  }

  get counts(): SessionCounts {
    return { callsInFlight: 0, exports: this.exports.size, ...this.admission.counts };
  }

  get isOver(): boolean {
    return this.ended !== undefined;
  }

  /** Counts the calls that are running. */
  get running(): number {
    return this.#running.size;
  }

  readonly give = (argument: unknown): unknown => expose(argument, this, 'what is passed', 'argument');

  readonly take = (value: unknown): unknown => receive(value, this);

  run(name: string, args: unknown[], begin: (args: unknown[], call: RunningCall) => unknown): unknown {
    const call = new RunningCall(this, this.#nextCallId++, undefined);
    const { observer, onError } = this.#context;
    let pending: Pending;
    try {
      const { full } = this.admission.calls;
      if (full !== undefined) throw full;
      const given = args.map(this.take);
      const bytes = this.admission.messageBytes;
      call.observation = observer?.incoming(call, { path: [name], args: given, bytes, onError });
      const answer = () => begin(given, call);
      pending = outcomeOf(call.observation === undefined ? answer() : call.observation.run(answer));
    } catch (error) {
      pending = { ok: false, error };
    }
    return pending instanceof Promise ? this.#later(call, name, pending) : this.#answer(call, name, pending);
  }

  /** Tells all methods that nobody waits for them any more: the connection is gone. */
  lost(reason: RpcError): void {
    for (const call of this.#running) call.abort(reason);
  }

  async #later(call: RunningCall, name: string, pending: Promise<Outcome>): Promise<unknown> {
    this.#running.add(call);
    this.admission.calls.started(FRAME);
    const outcome = await pending;
    this.#running.delete(call);
    this.admission.calls.ended(FRAME);
    return this.#answer(call, name, outcome);
  }

  /** Returns what the client is to get of what became of a call, or throws it. */
  #answer(call: RunningCall, name: string, outcome: Outcome): unknown {
    const { load, onError } = this.#context;
    if (!outcome.ok) throw this.#failed(call, name, outcome.error);
    let exposed: unknown;
    try {
      exposed = expose(outcome.value, this, `the result of ${name}()`);
    } catch (error) {
      onError(error, name, call);
      throw this.#failed(call, name, error);
    }
    load.succeeded++;
    call.observation?.ended(outcome);
    return exposed;
  }

  #failed(call: RunningCall, name: string, error: unknown): unknown {
    const { load, onError, refusals } = this.#context;
    load.failed++;
    call.observation?.ended({ ok: false, error });
    const behind = defectBehind(error);
    if (behind !== undefined) onError(behind.defect, name, call);
    if (wasThrown(error)) onError(error, name, call);
    else refusals.add(error as RpcError, name, this.caller);
    return error instanceof RpcError ? error : exposeThrown(error, this, `what ${name}() threw`);
  }
}

/** Bytes in flight are counted by messages. */
const FRAME = { cost: 0, holders: 0 } as CallFrame;
