import type { CallRecord, History, Life } from '../driver/history.ts';
import type { Run } from '../driver/run-program.ts';
import type { LedgerRow } from '../programs/keys.ts';
import type { Program } from '../programs/program.ts';

/** The facts of a run, in a form that rules can query. */
export class Facts {
  readonly program: Program;
  readonly run: Run;
  readonly history: History;
  readonly #rows = new Map<string, LedgerRow[]>();

  constructor(program: Program, run: Run) {
    this.program = program;
    this.run = run;
    this.history = run.history;
    for (const row of run.report.rows) {
      const same = this.#rows.get(row.key);
      if (same === undefined) this.#rows.set(row.key, [row]);
      else same.push(row);
    }
  }

  rows(key: string, what: LedgerRow['what']): LedgerRow[] {
    return (this.#rows.get(key) ?? []).filter((row) => row.what === what);
  }

  get keys(): Iterable<string> {
    return this.#rows.keys();
  }

  /** Returns true if there was a fault of one of these kinds. */
  had(...kinds: string[]): boolean {
    return kinds.some((kind) => this.history.faults[kind] !== undefined);
  }

  /** True if the object may have hibernated. It does when its client sleeps for long. */
  get mayHaveHibernated(): boolean {
    return this.had('evict', 'sleep');
  }

  /** True if a method of the program ends its object or a connection when it is called. */
  get endsItself(): boolean {
    return this.history.calls.some(({ method }) => method.ends !== undefined);
  }

  /** True if a method of the program ends its object when it is called, which then forgets what it has not stored. */
  get endsObject(): boolean {
    return this.history.calls.some(({ method }) => method.ends === 'object');
  }

  /** True if application code closes sockets with codes that refuse a client for good. */
  get refusesForGood(): boolean {
    return this.program.steps.some((step) => step.kind === 'fault' && step.fault.kind === 'close') || this.endsItself;
  }

  /** Returns true if there was no connection at some time during a call, or if its client ended. */
  lost(call: CallRecord): boolean {
    return call.life.ended !== undefined || lostBetween(call.life, call.at, call.settledAt);
  }
}

/** Listeners for losses are called a little later than lost calls are rejected. */
const LATER_MS = 10;

export function lostBetween(life: Life, from: number, until = Number.POSITIVE_INFINITY): boolean {
  return life.losses.some((at) => at >= from && at <= until + LATER_MS);
}

/** Returns the name of a call for use in sentences. */
export function nameOf({ key, name, life, method, told, ok }: CallRecord): string {
  const outcome = ok === undefined ? 'pending' : ok ? 'ok' : (told!.code ?? `threw ${told!.message}`);
  return `${key} ${name}() [${method.delivery} ${method.shape} ${method.does}] of client ${life.client}.${life.number} (${outcome})`;
}
