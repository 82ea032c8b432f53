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
import { expose, exposeThrown, revive } from './values.ts';

/** The target and the caller of a connection, and the server that accepted it. */
export interface Served {
  readonly target: object;
  readonly caller: Caller;
  readonly host: ProtocolHost;
  /** True if clients may call methods that are declared `exactlyOnce`. */
  readonly atMostOnce: boolean;
  /** True for a batch, which is answered as soon as everything is there that it asks for. */
  readonly isBatch: boolean;
}

/**
 * The server's side of a Cap'n Web connection, and the transport of the package's session. It passes messages to the
 * session as values and not as text, so that it can check them first. It runs the client's calls like those of the
 * library's own sessions, and converts the values that both sides exchange.
 */
export class CapnWebConnection implements RpcTransportWithCustomEncoding, Exchange {
  readonly encodingLevel = 'jsonCompatible';
  readonly caller: Caller;
  readonly atMostOnce: boolean;
  readonly admission: MessageAdmission;
  /** Always undefined, because a Cap'n Web client has no name under which results could be stored. */
  readonly results = undefined;
  readonly exports: Holders;
  readonly maxReferences: number;
  readonly stubs = new ClientStubs(this);
  /** The error that the connection ends with, or has ended with; undefined while it is open. */
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

  /**
   * Creates the server's side of a connection. `write` sends a message; `close` is called once, when no more messages
   * may be sent.
   */
  constructor(served: Served, write: (text: string) => void, close: (error: RpcError) => void) {
    const { target, caller, host, atMostOnce, isBatch } = served;
    const { errorStacks, limits } = host.context.settings;
    this.caller = caller;
    this.atMostOnce = atMostOnce;
    this.admission = new MessageAdmission(host.context, caller, isBatch);
    this.exports = new Holders(dispose);
    this.maxReferences = limits.maxReferences;
    this.#context = host.context;
    this.#write = write;
    this.#close = close;
    // The connection's target is never disposed of, because no client owns it.
    const exposed = exposeTarget(target, this, () => {});
    this.#rpc = new RpcSession(this, exposed, { onSendError: (error) => forClient(error, errorStacks) });
  }

  get counts(): SessionCounts {
    return { callsInFlight: 0, exports: this.exports.size, ...this.admission.counts };
  }

  get isOver(): boolean {
    return this.ended !== undefined;
  }

  /** Number of calls that are running. */
  get running(): number {
    return this.#running.size;
  }

  /**
   * Resolves when all received messages have been read, or the session has stopped reading. Undefined if all are read.
   */
  get read(): Promise<void> | undefined {
    if (this.#queue.length === 0) return undefined;
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  /** Queues a message that has arrived for the session, unless the connection has ended. */
  deliver(text: string): void {
    if (this.isOver) return;
    this.stubs.releaseCollected();
    this.#queue.push(text);
    this.#next?.resolve();
  }

  /** Ends the connection after the messages that were received before have been read. */
  end(error: RpcError): void {
    this.ended ??= error;
    this.#next?.reject(this.ended);
  }

  /** Resolves when all received messages have been read and everything that they asked for has been answered. */
  async answered(): Promise<void> {
    await this.read;
    // It rejects if the session has ended. The client learns that from a message.
    await this.#rpc.drain().catch(() => {});
  }

  // Members of `Exchange`, for references and calls.

  readonly give = (argument: unknown): unknown => expose(argument, this, 'what is passed', 'argument');

  readonly take = (value: unknown): unknown => {
    this.admission.objects = 0;
    return revive(value, this);
  };

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

  // Members that Cap'n Web's session calls.

  send(message: unknown): number {
    const release = this.admission.sent(message as unknown[]);
    this.#chunks.sent(message as unknown[]);
    const text = JSON.stringify(message);
    // The client no longer wants the answer, but it has to release the references in it.
    if (release === undefined || REFERENCE.test(text)) this.#write(text);
    if (release !== undefined) this.deliver(JSON.stringify(release));
    return text.length;
  }

  async receive(): Promise<unknown> {
    if (this.#queue.length === 0) {
      if (this.ended !== undefined) throw this.ended;
      this.#allRead();
      this.#next = Promise.withResolvers();
      await this.#next.promise;
    }
    const message = this.admission.receive(this.#queue[0]);
    const held = this.#chunks.hold(message);
    if (held !== undefined) await held;
    // Not earlier, because a message that is held back does not count as read.
    this.#queue.shift();
    return message;
  }

  /** Called by the session when it cannot continue, or must not. */
  abort(reason: unknown): void {
    const error = asRpcError(reason, 'MALFORMED_FRAME');
    this.ended ??= error;
    this.#queue.length = 0;
    this.#allRead();
    this.#close(error);
    // Nobody waits for the results of these calls any more.
    for (const call of this.#running) call.abort(error);
  }

  #allRead(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }

  async #later(call: RunningCall, name: string, pending: Promise<Outcome>): Promise<unknown> {
    this.#running.add(call);
    this.admission.calls.count(1);
    const outcome = await pending;
    this.#running.delete(call);
    this.admission.calls.count(-1);
    return this.#answer(call, name, outcome);
  }

  /** Returns the value that the client receives for the outcome of a call, or throws the error that it receives. */
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

/** Matches messages that contain references, and some that do not. */
const REFERENCE = /\["(export|promise|writable|readable)",/;

/**
 * Delays the acknowledgement of a stream chunk until the clock has moved on since the chunk was sent. Cap'n Web 0.12
 * takes an acknowledgement at the same instant for a round trip of no time: its window becomes NaN, and a writer that
 * waits for the window to open waits forever. The clock of a Worker stands still between one event and the next, so
 * this happens whenever a client is near.
 */
class ChunkClock {
  /** Time at which each unacknowledged chunk was sent, by the number that both sides give its message. */
  readonly #sentAt = new Map<number, number>();
  #nextId = 1;

  /** Called with each message that is sent. */
  sent([kind]: readonly unknown[]): void {
    if (kind === 'stream') this.#sentAt.set(this.#nextId, performance.now());
    if (kind === 'stream' || kind === 'push' || kind === 'pipe') this.#nextId++;
  }

  /**
   * Returns a promise that resolves when a received message may be passed on; undefined if it may be passed on at once.
   */
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

/**
 * Returns the error to send to the client in place of `error`; undefined to send the error itself without its stack.
 */
function forClient(error: Error, withStack: boolean): Error | undefined {
  if (!(error instanceof RpcError)) return withStack ? error : undefined;
  // The client gets the code, the message and the data. The cause is for the server only.
  const { code, message, data, stack } = error;
  const more = data === undefined ? {} : { data };
  return Object.assign(new Error(message), { code, ...more, name: error.name, stack: withStack ? stack : '' });
}
