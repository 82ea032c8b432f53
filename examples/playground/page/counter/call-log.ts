import { RpcError } from '@lumenize/rpc';
import { type ReadonlySignal, signal } from '@preact/signals';

/** One thing that became of a call. */
export interface Step {
  readonly kind: 'waiting' | 'sent' | 'lost' | 'sent again' | 'answered' | 'unknown' | 'failed';
  /** Milliseconds since the call was made. */
  readonly atMs: number;
  readonly text: string;
}

/** A call, and what has become of it so far. */
export interface LoggedCall {
  readonly id: number;
  readonly code: string;
  readonly delivery: string;
  readonly steps: readonly Step[];
  readonly isSettled: boolean;
}

/** How many calls are kept. */
const MAX_CALLS = 12;

/** What is known of a call that rejects, in the words of the delivery contract. */
const REJECTIONS: Readonly<Record<string, string>> = {
  OUTCOME_UNKNOWN: 'OUTCOME_UNKNOWN: it may have run, and is not repeated. The value says whether it has',
  NOT_EXECUTED: 'NOT_EXECUTED: there was no connection for too long, and it was never sent',
};

/** Tells of each call what the connection and its loss do to it. */
export class CallLog {
  readonly #calls = signal<readonly LoggedCall[]>([]);
  readonly #started = new Map<number, number>();
  #lastId = 0;

  /** The newest first. */
  get calls(): ReadonlySignal<readonly LoggedCall[]> {
    return this.#calls;
  }

  /** Whether a call has been sent and not answered. */
  get awaitsAnswer(): boolean {
    return this.#unsettled().some(({ steps }) => wasSent(steps));
  }

  /** Makes a call and follows it until it settles. */
  async follow(call: { code: string; delivery: string }, isOpen: boolean, run: () => Promise<unknown>): Promise<void> {
    const id = ++this.#lastId;
    this.#started.set(id, performance.now());
    const logged: LoggedCall = { id, code: call.code, delivery: call.delivery, steps: [], isSettled: false };
    this.#calls.value = [logged, ...this.#calls.value].slice(0, MAX_CALLS);
    if (!isOpen) this.#add(id, 'waiting', 'waits for a connection');
    try {
      const value = await run();
      const before = this.#find(id)?.steps.some(({ kind }) => kind === 'lost');
      const once = before && call.delivery === 'exactlyOnce' ? ', and has run once' : '';
      this.#settle(id, 'answered', `answered: ${value}${once}`);
    } catch (error) {
      this.#reject(id, error);
    }
    this.#started.delete(id);
  }

  /** A frame has gone up: the calls that wait are in it. */
  sent(bytes: number): void {
    for (const { id, steps } of this.#unsettled()) {
      const last = steps.at(-1)?.kind;
      if (last === 'lost') this.#add(id, 'sent again', 'sent again over a new connection');
      else if (last === undefined || last === 'waiting') this.#add(id, 'sent', `sent in one frame of ${bytes} bytes`);
    }
  }

  /** The connection is lost, and what was sent has no answer. */
  lost(droppedAnswer: boolean): void {
    for (const { id, steps } of this.#unsettled()) {
      if (!wasSent(steps)) continue;
      this.#add(
        id,
        'lost',
        droppedAnswer ? 'its answer got lost, with the connection' : 'connection lost, no answer yet',
      );
    }
  }

  #reject(id: number, error: unknown): void {
    const code = error instanceof RpcError ? error.code : undefined;
    const text = (code && REJECTIONS[code]) ?? (error instanceof Error ? error.message : String(error));
    this.#settle(id, code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'failed', text);
  }

  #unsettled(): LoggedCall[] {
    return this.#calls.value.filter(({ isSettled }) => !isSettled);
  }

  #find(id: number): LoggedCall | undefined {
    return this.#calls.value.find((call) => call.id === id);
  }

  #settle(id: number, kind: Step['kind'], text: string): void {
    this.#add(id, kind, text, true);
  }

  #add(id: number, kind: Step['kind'], text: string, isSettled = false): void {
    const step: Step = { kind, text, atMs: performance.now() - (this.#started.get(id) ?? 0) };
    this.#calls.value = this.#calls.value.map((call) =>
      call.id === id ? { ...call, steps: [...call.steps, step], isSettled } : call,
    );
  }
}

/** Whether a call is on its way, or its answer is. */
function wasSent(steps: readonly Step[]): boolean {
  const last = steps.at(-1)?.kind;
  return last === 'sent' || last === 'sent again';
}
