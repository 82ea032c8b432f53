import { CloneError, readBodies } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import type { RefusedFrame } from '../../protocol/frame-reader.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { needsBodies, unsendableCode, unsendableReason } from '../../protocol/unsendable.ts';
import { isTarget } from '../references/by-reference.ts';
import { atEndOfTurn, FULL_BYTES } from '../turn.ts';
import type { CallContext, RunningCall } from './call-context.ts';
import { discard } from './discard.ts';
import type { IncomingHost } from './incoming-host.ts';
import { type LentFrame, ResultFrames } from './result-frames.ts';
import { defectBehind, wasThrown } from './thrown.ts';

/** How much of an error goes into the message of the one in its place. */
const MAX_QUOTE = 200;

/** Collects results, so that those that are ready together leave in one frame. */
export class Replies {
  readonly #host: IncomingHost;
  readonly #frames: ResultFrames;
  #frame: LentFrame | undefined;
  #flushing = false;
  /** Ids of steps whose results are stored. */
  #storedSteps: number[] | undefined;
  /** Stands for the connection: another one when that is gone. Over the next one, ids mean other calls. */
  life = 0;

  constructor(host: IncomingHost) {
    const { settings } = host;
    this.#host = host;
    settings.frames ??= new ResultFrames({
      reversed: settings.side === 'client',
      errorStacks: settings.errorStacks,
      maxMessageBytes: settings.limits.maxMessageBytes,
    });
    this.#frames = settings.frames;
  }

  /**
   * Adds what became of a call. Where that cannot be sent, an error saying so takes its place: every call is answered whose
   * connection is still there.
   */
  add(call: RunningCall, path: readonly string[], outcome: Outcome): void {
    if (call.life !== this.life) return this.#discard(call, outcome);
    const lent = this.#begun();
    const bytesBefore = call.observation === undefined ? 0 : lent.frame.size;
    let sent: Outcome | undefined = outcome;
    if (outcome.ok) sent = this.#value(lent, call, path, outcome);
    else sent = this.#failure(lent, call, path, outcome);
    if (sent !== undefined) call.observation?.ended(sent, lent.frame.size - bytesBefore);
    if (lent.frame.size > FULL_BYTES) this.flush();
  }

  /** Takes what became of a step, for which nobody waits: that it is stored is told with the next result, and before those that use it. */
  addStep(call: RunningCall, outcome: Outcome): void {
    // What the step itself returned is let go of with what is kept.
    if (call.life !== this.life && !(outcome.ok && isTarget(outcome.value))) return this.#discard(call, outcome);
    if (call.isStored && this.#frame !== undefined) this.#frame.frame.storedStep(call.callId);
    else if (call.isStored) {
      this.#storedSteps ??= [];
      this.#storedSteps.push(call.callId);
    }
    call.observation?.ended(outcome);
  }

  /** The frame that is being filled. */
  #begun(): LentFrame {
    if (this.#frame !== undefined) return this.#frame;
    this.#frame = this.#frames.take(this.#host);
    for (const id of this.#storedSteps ?? []) this.#frame.frame.storedStep(id);
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
    this.#begun().frame.refused(firstId, index, cause);
    this.flush();
    this.#host.onRefused(cause, undefined);
  }

  /** Sends what has been collected. */
  flush(): void {
    const lent = this.#frame;
    if (lent === undefined) return;
    this.#frame = undefined;
    const bytes = lent.frame.finish();
    this.#frames.give(lent);
    this.#host.sendReplies(bytes);
  }

  /** Drops what has been collected: the connection is gone, and the ids would mean other calls over the next one. */
  clear(): void {
    this.life++;
    const lent = this.#frame;
    this.#storedSteps = undefined;
    if (lent === undefined) return;
    this.#frame = undefined;
    lent.frame.finish();
    this.#frames.give(lent);
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
    { frame, bodies }: LentFrame,
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
      const isLater = bodies.size === 0 && needsBodies(error);
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
    const lent = this.#begun();
    for (const [holder, bytes] of bodies) lent.bodies.set(holder, bytes);
    this.add(call, path, outcome);
    lent.bodies.clear();
    this.flushSoon();
    done();
  }

  /** Adds what a call failed with, or of that what can be sent. Returns it; undefined where that is found out later. */
  #failure(
    { frame, bodies }: LentFrame,
    call: RunningCall,
    path: readonly string[],
    outcome: Outcome & { ok: false },
  ): Outcome | undefined {
    const { error } = outcome;
    const name = path.join('.');
    // Not again, when its bytes have been read.
    if (bodies.size === 0) this.#tell(error, name, call);
    const isOurs = error instanceof RpcError;
    try {
      if (isOurs) frame.rpcError(call.callId, error);
      else frame.thrown(call.callId, error);
      this.#host.written(true);
    } catch (reason) {
      const isLater = bodies.size === 0 && needsBodies(reason);
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
