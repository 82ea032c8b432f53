import { RpcSession, type RpcTransportWithCustomEncoding } from 'capnweb';
import { asRpcError, RpcError } from '../errors/rpc-error.ts';
import type { Outcome, Pending } from '../protocol/result-frame.ts';
import type { ProtocolHost, SharedContext } from '../server/options.ts';
import { type Caller, RunningCall, type SessionCounts } from '../session/incoming/call-context.ts';
import { outcomeOf } from '../session/incoming/perform.ts';
import { defectBehind, wasThrown } from '../session/incoming/thrown.ts';
import { dispose } from '../session/references/by-reference.ts';
import { Holders } from '../session/references/holders.ts';
import { MessageAdmission } from './admission.ts';
import { ClientStubs, type Exchange, exposeTarget } from './references.ts';
import { expose, exposeThrown, receive } from './values.ts';

/** The target of a connection, and its caller. */
export interface Served {
  readonly target: object;
  readonly caller: Caller;
  readonly host: ProtocolHost;
  /** True if methods may be called that are declared `exactlyOnce`. */
  readonly atMostOnce: boolean;
}

/**
 * The server's side of a connection of Cap'n Web: the transport that the package's session reads from and writes to. It hands
 * messages over as values, not as text, so that they can be looked at before the session sees them; runs the calls of a client
 * as those of the library's own sessions run, and converts what they exchange.
 */
export class CapnWebConnection implements RpcTransportWithCustomEncoding, Exchange {
  readonly encodingLevel = 'jsonCompatible';
  readonly caller: Caller;
  readonly atMostOnce: boolean;
  readonly admission: MessageAdmission;
  /** A client has no name here under which results could be stored. */
  readonly results = undefined;
  readonly exports: Holders;
  readonly maxReferences: number;
  readonly stubs = new ClientStubs(this);
  /** Error that the connection ends, or has ended, with. */
  ended: RpcError | undefined;
  readonly #context: SharedContext;
  readonly #write: (text: string) => void;
  readonly #close: (error: RpcError) => void;
  readonly #rpc: RpcSession;
  readonly #chunks = new ChunkClock();
  readonly #running = new Set<RunningCall>();
  #nextCallId = 1;
  readonly #queue: string[] = [];
  #next: PromiseWithResolvers<void> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  /** `write` sends a message; `close` is called once, when there are to be no more. */
  constructor(served: Served, write: (text: string) => void, close: (error: RpcError) => void) {
    const { target, caller, host, atMostOnce } = served;
    const { errorStacks, limits } = host.context.settings;
    this.caller = caller;
    this.atMostOnce = atMostOnce;
    this.admission = new MessageAdmission(host.context, caller);
    this.exports = new Holders(dispose);
    this.maxReferences = limits.maxReferences;
    this.#context = host.context;
    this.#write = write;
    this.#close = close;
    // The target of the connection itself is nobody's to dispose of.
    const exposed = exposeTarget(target, this, () => {});
    this.#rpc = new RpcSession(this, exposed, { onSendError: (error) => forClient(error, errorStacks) });
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

  /** Resolves when what has been received was read, or there is nobody left to read it; undefined where there is nothing. */
  get read(): Promise<void> | undefined {
    if (this.#queue.length === 0) return undefined;
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  /** Takes a message that has arrived. */
  deliver(text: string): void {
    this.stubs.releaseCollected();
    this.#queue.push(text);
    this.#next?.resolve();
  }

  /** Has the connection end, once what was received before has been read. */
  end(error: RpcError): void {
    this.ended ??= error;
    this.#next?.reject(this.ended);
  }

  /** Resolves when what has been received was read, and all that was asked for has been answered. */
  async answered(): Promise<void> {
    await this.read;
    // It rejects where the session has ended, of which the client is told by a message.
    await this.#rpc.drain().catch(() => {});
  }

  // For what is exchanged.

  readonly give = (argument: unknown): unknown => expose(argument, this, 'what is passed', 'argument');

  readonly take = (value: unknown): unknown => receive(value, this);

  run(name: string, args: unknown[], begin: (args: unknown[], call: RunningCall) => unknown): unknown {
    const call = new RunningCall(this, this.#nextCallId++, undefined);
    const { observer, onError } = this.#context;
    let pending: Pending;
    try {
      const full = this.admission.calls.full();
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

  // For the package's session.

  send(message: unknown): number {
    this.admission.sent(message as unknown[]);
    this.#chunks.sent(message as unknown[]);
    const text = JSON.stringify(message);
    this.#write(text);
    return text.length;
  }

  async receive(): Promise<unknown> {
    if (this.#queue.length === 0) {
      if (this.ended !== undefined) throw this.ended;
      this.#drained?.resolve();
      this.#next = Promise.withResolvers();
      await this.#next.promise;
    }
    const message = this.admission.receive(this.#queue[0]);
    const held = this.#chunks.hold(message);
    if (held !== undefined) await held;
    // Not before: what is held back has not been read.
    this.#queue.shift();
    return message;
  }

  /** Called by the session when it can or may not go on. */
  abort(reason: unknown): void {
    const error = asRpcError(reason, 'MALFORMED_FRAME');
    this.ended ??= error;
    this.#queue.length = 0;
    this.#drained?.resolve();
    this.#close(error);
    // Nobody waits for them any more.
    for (const call of this.#running) call.abort(error);
  }

  async #later(call: RunningCall, name: string, pending: Promise<Outcome>): Promise<unknown> {
    this.#running.add(call);
    this.admission.calls.count(1);
    const outcome = await pending;
    this.#running.delete(call);
    this.admission.calls.count(-1);
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

/**
 * Has no chunk of a stream acknowledged at the instant at which it was sent. Cap'n Web's flow control takes that for a round trip
 * of no time, its window becomes NaN, and whoever waits for it to open waits forever (0.12). The clock of a Worker stands still
 * between one event and the next, so that it comes to this wherever a client is near.
 */
class ChunkClock {
  /** Time at which each unacknowledged chunk was sent, by the number that both sides give its message. */
  readonly #sentAt = new Map<number, number>();
  #nextId = 1;

  /** Notes a message that is sent. */
  sent([kind]: readonly unknown[]): void {
    if (kind === 'stream') this.#sentAt.set(this.#nextId, performance.now());
    if (kind === 'stream' || kind === 'push' || kind === 'pipe') this.#nextId++;
  }

  /** Waits until a message that has arrived may be handed over; undefined where that is now. */
  hold([kind, id]: readonly unknown[]): Promise<void> | undefined {
    if (kind !== 'resolve' && kind !== 'reject') return undefined;
    const sentAt = this.#sentAt.get(id as number);
    this.#sentAt.delete(id as number);
    if (sentAt === undefined || kind === 'reject' || performance.now() > sentAt) return undefined;
    return later(sentAt);
  }
}

async function later(than: number): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, 1));
  while (performance.now() <= than);
}

/** Returns what the client is to get of an error in place of it; undefined where that is the error, without its stack. */
function forClient(error: Error, withStack: boolean): Error | undefined {
  if (!(error instanceof RpcError)) return withStack ? error : undefined;
  // Code, message and data; what caused it is for the server.
  const { code, message, data, stack } = error;
  const more = data === undefined ? {} : { data };
  return Object.assign(new Error(message), { code, ...more, name: error.name, stack: withStack ? stack : '' });
}
