import { RpcSession } from 'capnweb';
import { RpcError } from '../errors/rpc-error.ts';
import type { CallFrame } from '../protocol/call-frame.ts';
import type { ProtocolHost, SharedContext } from '../server/other-protocol.ts';
import { Admission } from '../session/incoming/admission.ts';
import { type CallContext, type Caller, RunningCall, type SessionCounts } from '../session/incoming/call-context.ts';
import { isPlainData } from '../session/incoming/members.ts';
import { defectBehind, noteThrown, wasThrown } from '../session/incoming/thrown.ts';
import { dispose } from '../session/references/by-reference.ts';
import { Waiting } from '../session/waiting.ts';
import { MessageAdmission } from './admission.ts';
import { exposeTarget, type FacadeHost } from './facade.ts';
import { disposeOf, type Stub } from './remote.ts';
import { CapnWebTransport, type Wire } from './transport.ts';
import { expose, exposeThrown, receive } from './values.ts';

/** The target of a session, and its caller. */
export interface Served {
  readonly target: unknown;
  readonly caller: Caller;
  readonly host: ProtocolHost;
  /** True if methods may be called that are declared `exactlyOnce`. */
  readonly atMostOnce: boolean;
}

/** The server's side of a connection of Cap'n Web, whose calls run as those of the library's own sessions do. */
export class CapnWebSession implements FacadeHost {
  readonly caller: Caller;
  readonly atMostOnce: boolean;
  /** A client has no name here under which results could be stored. */
  readonly results = undefined;
  readonly longest = { length: 0 };
  readonly collected: Stub[] = [];
  readonly #host: ProtocolHost;
  readonly #rpc: RpcSession;
  readonly #transport: CapnWebTransport;
  readonly #admission: MessageAdmission;
  readonly #calls: Admission;
  readonly #running = new Set<RunningCall>();
  /** How often the client holds what of our targets and functions. */
  readonly #held = new Map<object, number>();
  #nextCallId = 1;

  constructor({ target, caller, host, atMostOnce }: Served, wire: Wire) {
    this.caller = caller;
    this.atMostOnce = atMostOnce;
    this.#host = host;
    const { settings, load } = host.context;
    this.#calls = new Admission(settings.limits, new Waiting(settings.limits.maxBytesInFlight), load);
    this.#admission = new MessageAdmission(host.context, caller, this.longest);
    this.#transport = new CapnWebTransport(wire, this.#admission);
    this.#transport.whenEnded = (error) => this.#lost(error);
    this.#rpc = new RpcSession(this.#transport, exposeTarget(target as object, this), {
      onSendError: (error) => forClient(error, host.errorStacks),
      limits: { maxMessageSize: settings.limits.maxMessageBytes },
    });
  }

  get counts(): SessionCounts {
    return {
      callsInFlight: 0,
      exports: this.#held.size,
      imports: this.#admission.passed,
      channels: this.#admission.pipes,
      heldResults: this.#admission.begun,
    };
  }

  get isOver(): boolean {
    return this.#transport.ended !== undefined;
  }

  /** How many calls are running. */
  get running(): number {
    return this.#running.size;
  }

  /** Resolves when what has been received was read; undefined where it has been. */
  get read(): Promise<void> | undefined {
    return this.#transport.drained;
  }

  get ended(): RpcError | undefined {
    return this.#transport.ended;
  }

  receive(text: string): void {
    for (const stub of this.collected.splice(0)) disposeOf(stub);
    this.#transport.deliver(text);
  }

  end(error: RpcError): void {
    this.#transport.end(error);
  }

  /** Resolves when what has been received was read, and all that was asked for has been answered. */
  async answered(): Promise<void> {
    await this.#transport.drained;
    // It rejects where the session has ended, of which the client is told by a message.
    await this.#rpc.drain().catch(() => {});
  }

  run(name: string, args: unknown[], begin: (args: unknown[], call: RunningCall) => unknown): unknown {
    const call = new RunningCall(this, this.#nextCallId++, undefined);
    let result: unknown;
    try {
      const { full } = this.#calls;
      if (full !== undefined) throw full;
      const given = args.map((arg) => receive(arg, this));
      call.observation = this.#observe(call, name, given);
      const answer = () => begin(given, call);
      result = call.observation === undefined ? answer() : call.observation.run(answer);
    } catch (error) {
      throw this.#failed(call, name, error);
    }
    return isThenable(result) ? this.#later(call, name, result) : this.#answer(call, name, result);
  }

  readonly give = (argument: unknown): unknown => expose(argument, this, 'what is passed', 'argument');

  readonly take = (value: unknown): unknown => receive(value, this);

  takeRefusal(): RpcError {
    return this.#admission.refusal ?? new RpcError('METHOD_NOT_FOUND', 'there is nothing of that name');
  }

  refused(error: RpcError, name: string): RpcError {
    this.#host.context.refusals.add(error, name, this.caller);
    return error;
  }

  holds(value: object): void {
    const { maxReferences } = this.#host.context.settings.limits;
    const count = this.#held.get(value) ?? 0;
    if (count === 0 && this.#held.size >= maxReferences) {
      throw new RpcError(
        'LIMIT_EXCEEDED',
        `maxReferences of ${maxReferences} exceeded: dispose of stubs no longer used`,
      );
    }
    this.#held.set(value, count + 1);
  }

  letsGo(value: object): void {
    const count = this.#held.get(value);
    // The target of the connection was never passed.
    if (count === undefined) return;
    if (count > 1) return void this.#held.set(value, count - 1);
    this.#held.delete(value);
    dispose(value);
  }

  async #later(call: RunningCall, name: string, result: PromiseLike<unknown>): Promise<unknown> {
    this.#running.add(call);
    this.#calls.started(FRAME);
    let value: unknown;
    try {
      value = await result;
    } catch (error) {
      throw this.#failed(call, name, noteThrown(error));
    } finally {
      this.#running.delete(call);
      this.#calls.ended(FRAME);
    }
    return this.#answer(call, name, value);
  }

  #observe(call: RunningCall, name: string, args: unknown[]): RunningCall['observation'] {
    const { observer, onError } = this.#host.context;
    return observer?.incoming(call, { path: [name], args, bytes: this.#admission.messageBytes, onError });
  }

  #answer(call: RunningCall, name: string, value: unknown): unknown {
    let exposed: unknown;
    try {
      exposed = expose(value, this, `the result of ${name}()`);
    } catch (error) {
      this.#host.context.onError(error, name, call);
      throw this.#failed(call, name, error);
    }
    this.#host.context.load.succeeded++;
    call.observation?.ended({ ok: true, value });
    return exposed;
  }

  #failed(call: RunningCall, name: string, error: unknown): unknown {
    this.#host.context.load.failed++;
    call.observation?.ended({ ok: false, error });
    report(error, name, call, this.#host.context);
    return error instanceof RpcError ? error : exposeThrown(error, this, `what ${name}() threw`);
  }

  #lost(reason: RpcError): void {
    for (const call of this.#running) call.abort(reason);
  }
}

/** Bytes in flight are counted by messages. */
const FRAME = { cost: 0, holders: 0 } as CallFrame;

/** Data is not, whatever a client has put into its `then`. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || isPlainData(value)) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

/** Tells the server of a call that failed, as its own sessions do. */
export function report(error: unknown, name: string, call: CallContext, { onError, refusals }: SharedContext): void {
  const behind = defectBehind(error);
  if (behind !== undefined) onError(behind.defect, name, call);
  if (wasThrown(error)) onError(error, name, call);
  else refusals.add(error as RpcError, name, call.caller);
}

/** Returns what the client is to get of an error in place of it; undefined where that is the error, without its stack. */
function forClient(error: Error, withStack: boolean): Error | undefined {
  if (!(error instanceof RpcError)) return withStack ? error : undefined;
  // Code, message and data; what caused it is for the server.
  const { code, message, data, stack } = error;
  const told = Object.assign(new Error(message), { code });
  if (data !== undefined) Object.assign(told, { data });
  told.name = error.name;
  told.stack = withStack ? stack : '';
  return told;
}
