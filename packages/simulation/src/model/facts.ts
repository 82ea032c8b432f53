import type { CallRecord, History, Life } from '../driver/history.ts';
import type { Run } from '../driver/run-program.ts';
import type { LedgerRow } from '../programs/keys.ts';
import { methodOfVersion } from '../programs/normalize.ts';
import type { MethodSpec, Program } from '../programs/program.ts';

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

  /** Returns the users as whom something ran. */
  runners(key: string): string[] {
    return (this.#rows.get(key) ?? []).flatMap(({ who }) => (who === null ? [] : [who]));
  }

  /** Returns the keys that begin with a text. */
  keysOf(prefix: string): string[] {
    return [...this.#rows.keys()].filter((key) => key.startsWith(prefix));
  }

  get keys(): Iterable<string> {
    return this.#rows.keys();
  }

  /**
   * Returns a call once for each way in which it may have been understood: by each version of the class that it may
   * have met, as a call of each user whose call it may be.
   */
  variants(call: CallRecord): CallRecord[] {
    return this.versions(call).flatMap((version) =>
      call.who.map((who) => ({
        ...call,
        who: [who],
        method: this.method(call.name, version),
        ...(call.mapped && { mapped: { ...call.mapped, method: this.method(call.mapped.name, version) } }),
      })),
    );
  }

  /** Returns the versions of the class that a call may have met. */
  versions({ at, settledAt = Number.POSITIVE_INFINITY, method }: CallRecord): number[] {
    const { deployedAt } = this.history;
    if (deployedAt === undefined || this.program.target.next === undefined) return [0];
    // What is passed by reference is used after the call.
    const until = LASTING.includes(method.returns) ? Number.POSITIVE_INFINITY : settledAt + LATER_MS;
    return [...(at <= deployedAt ? [0] : []), ...(until >= deployedAt ? [1] : [])];
  }

  /** Returns a method as a version declares it. One that is gone counts as hidden. */
  method(name: string, version: number): MethodSpec {
    const index = Number(name.slice(1));
    const { target } = this.program;
    return methodOfVersion(target, index, version) ?? { ...target.methods[index], hidden: true };
  }

  /** Returns true if there was a fault of one of these kinds. */
  had(...kinds: string[]): boolean {
    return kinds.some((kind) => this.history.faults[kind] !== undefined);
  }

  /** True if the object has limits that programs can reach. */
  get hasLimits(): boolean {
    const { anyone: _, ...limits } = this.program.target.options;
    return Object.keys(limits).length > 0;
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

  /** Returns true if the connection may have changed its user during a call. */
  changed({ life, at, settledAt = Number.POSITIVE_INFINITY }: CallRecord): boolean {
    return life.changes.some((change) => change.at <= settledAt && change.until + LATER_MS >= at);
  }

  /** Returns true if there was no connection at some time during a call, or if its client ended. */
  lost(call: CallRecord): boolean {
    return call.life.ended !== undefined || lostBetween(call.life, call.at, call.settledAt);
  }
}

/** Results that are used after they have arrived. */
const LASTING: readonly string[] = ['function', 'promise', 'generator', 'stream', 'bytes', 'writable', 'subscription'];

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
