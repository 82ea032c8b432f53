import { CloneError, readBodies } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { needsBodies, unsendableCode, unsendableReason } from '../../protocol/errors.ts';
import type { RefusedFrame } from '../../protocol/frame-reader.ts';
import { type Outcome, ResultFrame } from '../../protocol/result-frame.ts';
import { isTarget } from '../references/by-reference.ts';
import { atEndOfTurn } from '../turn.ts';
import type { SharedLoad } from './admission.ts';
import type { CallContext, RunningCall } from './call-context.ts';
import { discard } from './discard.ts';
import type { IncomingHost } from './incoming-host.ts';
import { defectBehind, wasThrown } from './thrown.ts';

/** How much of an error goes into the message of the one in its place. */
const MAX_QUOTE = 200;

/** Collects results, so that those that are ready together leave in one frame. */
export class Replies {
  readonly #host: IncomingHost;
  /** Undefined where nothing is to be sent: connections that idle keep none. */
  #frame: ResultFrame | undefined;
  /** What was read of Blobs and the like that the result being written holds. */
  readonly #bodies = new Map<object, Uint8Array>();
  #flushing = false;
  /** Ids of steps whose results are stored. */
  #storedSteps: number[] | undefined;
  /** Stands for the connection: another one when that is gone. Over the next one, ids mean other calls. */
  life = 0;

  readonly #load: SharedLoad;

  constructor(host: IncomingHost, load: SharedLoad) {
    this.#host = host;
    this.#load = load;
  }

  /**
   * Adds what became of a call. Where that cannot be sent, an error saying so takes its place: every call is answered whose
   * connection is still there.
   */
  add(call: RunningCall, path: readonly string[], settled: Outcome): void {
    const { resumeAfter } = call;
    if (settled.ok) this.#load.succeeded++;
    else this.#load.failed++;
    // Frames that are sent again come to servers only.
    this.#add(call, path, resumeAfter === undefined ? settled : this.#host.resume!(settled, resumeAfter));
  }

  #add(call: RunningCall, path: readonly string[], outcome: Outcome): void {
    if (call.life !== this.life) return this.#discard(call, outcome);
    const frame = this.#begun();
    const { size } = frame;
    let sent: Outcome | undefined = outcome;
    if (outcome.ok) sent = this.#value(frame, call, path, outcome);
    else sent = this.#failure(frame, call, path, outcome);
    if (sent !== undefined) call.observation?.ended(sent, frame.size - size);
    // Reading the value may have had the frame sent.
    if (frame.isFull || frame !== this.#frame) this.#send(frame);
  }

  /** Takes what became of a step, for which nobody waits: that it is stored is told with the next result, and before those that use it. */
  addStep(call: RunningCall, outcome: Outcome): void {
    // What the step itself returned is let go of with what is kept.
    if (call.life !== this.life && !(outcome.ok && isTarget(outcome.value))) return this.#discard(call, outcome);
    if (call.isStored && this.#frame?.isEmpty === false) this.#frame.storedStep(call.callId);
    else if (call.isStored) {
      this.#storedSteps ??= [];
      this.#storedSteps.push(call.callId);
    }
    call.observation?.ended(outcome);
  }

  /** The frame that is being filled. */
  #begun(): ResultFrame {
    const { settings } = this.#host;
    this.#frame ??= new ResultFrame(
      settings.createWriter((value) => this.#host.travelling.extend(value), this.#bodies),
      settings.side === 'client',
    );
    for (const id of this.#storedSteps ?? []) this.#frame.storedStep(id);
    this.#storedSteps = undefined;
    return this.#frame;
  }

  #discard(call: RunningCall, outcome: Outcome): void {
    this.#letGo(outcome.ok ? outcome.value : outcome.error);
    call.observation?.ended(outcome);
  }

  #letGo(value: unknown): void {
    discard(value, (target) => this.#host.letGo(target));
  }

  /** Answers a frame of which nothing ran. */
  refuse({ firstId, index, cause }: RefusedFrame): void {
    this.#begun().refused(firstId, index, cause);
    this.flush();
    this.#host.onRefused(cause, undefined);
  }

  /** Sends what has been collected. */
  flush(): void {
    if (this.#frame !== undefined) this.#send(this.#frame);
  }

  #send(frame: ResultFrame): void {
    if (frame === this.#frame) this.#frame = undefined;
    if (!frame.isEmpty) this.#host.sendReplies(frame.finish());
  }

  /** Drops what has been collected: the connection is gone, and the ids would mean other calls over the next one. */
  clear(): void {
    this.life++;
    this.#storedSteps = undefined;
    this.#frame?.clear();
  }

  /** Sends after all jobs that are ready, so that methods that end together are answered together. */
  flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    atEndOfTurn(() => {
      this.#flushing = false;
      this.flush();
    });
  }

  /** Adds a result, or why it cannot be sent. Returns which it was; undefined where that is found out later. */
  #value(
    frame: ResultFrame,
    call: RunningCall,
    path: readonly string[],
    outcome: Outcome & { ok: true },
  ): Outcome | undefined {
    const { value } = outcome;
    try {
      if (call.isStored) frame.stored(call.callId, value);
      else frame.value(call.callId, value);
      this.#host.written(true);
      return outcome;
    } catch (error) {
      const isLater = this.#bodies.size === 0 && needsBodies(error);
      // Before what was sent of it is taken back, which lets go of the rest.
      if (!isLater) this.#letGo(value);
      this.#host.written(false);
      if (isLater) return void this.#afterBodies(call, path, outcome);
      const name = path.join('.');
      this.#host.onError(error, name, call);
      if (error instanceof RpcError) this.#host.onRefused(error, name);
      const reason = unsendable('the result', name, error);
      frame.rpcError(call.callId, reason);
      return { ok: false, error: reason };
    }
  }

  /** Adds what became of a call once the bytes of Blobs, Responses and the like in it have been read. */
  async #afterBodies(call: RunningCall, path: readonly string[], settled: Outcome): Promise<void> {
    const done = this.#host.busy();
    let outcome = settled;
    let bodies: ReadonlyMap<object, Uint8Array> = new Map();
    try {
      // In a list, as results are in a frame: so paths in errors begin alike.
      bodies = await readBodies([settled.ok ? settled.value : settled.error]);
    } catch (error) {
      const name = path.join('.');
      this.#host.onError(error, name, call);
      outcome = { ok: false, error: unsendable(settled.ok ? 'the result' : 'what was thrown', name, error) };
    }
    for (const [holder, bytes] of bodies) this.#bodies.set(holder, bytes);
    this.#add(call, path, outcome);
    this.#bodies.clear();
    this.flushSoon();
    done();
  }

  /** Adds what a call failed with, or of that what can be sent. Returns it; undefined where that is found out later. */
  #failure(
    frame: ResultFrame,
    call: RunningCall,
    path: readonly string[],
    outcome: Outcome & { ok: false },
  ): Outcome | undefined {
    const { error } = outcome;
    const name = path.join('.');
    // Not again, when its bytes have been read.
    if (this.#bodies.size === 0) this.#tell(error, name, call);
    const isOurs = error instanceof RpcError;
    try {
      if (isOurs) frame.rpcError(call.callId, error);
      else frame.thrown(call.callId, error);
      this.#host.written(true);
    } catch (reason) {
      const isLater = this.#bodies.size === 0 && needsBodies(reason);
      if (!isLater) this.#letGo(error);
      this.#host.written(false);
      if (isLater) return void this.#afterBodies(call, path, outcome);
      this.#host.onError(reason, name, call);
      // Code and message are what callers decide by; data is beside it.
      const rest = isOurs
        ? new RpcError(error.code, error.message)
        : unsendable('what was thrown', name, reason, error);
      frame.rpcError(call.callId, rest);
    }
    return outcome;
  }

  #tell(error: unknown, name: string, call: CallContext): void {
    const behind = defectBehind(error);
    if (behind !== undefined) this.#host.onError(behind.defect, name, call);
    if (wasThrown(error)) this.#host.onError(error, name, call);
    else this.#host.onRefused(error as RpcError, name);
  }
}

/** Why a result, or what was `thrown`, could not be sent. */
function unsendable(what: string, name: string, error: unknown, thrown?: unknown): RpcError {
  if (error instanceof RpcError) return error;
  // A getter of the value threw: that may be anything, and is not for strangers.
  if (!(error instanceof CloneError)) return new RpcError('INTERNAL', `${what} of ${name}() could not be read`);
  const message = unsendableReason(error).replace(/^at value\[\d\]/, 'at value');
  return new RpcError(unsendableCode(error), `${what} of ${name}(): ${message}${quote(thrown)}`);
}

/** The message of an error that could not be sent whole: its caller was to see it, and it says what has gone wrong. */
function quote(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  try {
    return `; it was ${thrown}`.slice(0, MAX_QUOTE);
  } catch {
    return ''; // what a class says of itself may throw, too
  }
}
