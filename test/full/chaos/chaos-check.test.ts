import { describe, expect, test } from 'vitest';
import type { Ledger, Run } from '../../chaos/chaos-calls.ts';
import { check } from '../../chaos/check.ts';
import { History, type MadeCall, type Method, type Outcome } from '../../chaos/history.ts';

const circumstances = { mayThrow: false, longestMs: 1000, slackMs: 100 };

/** A history that is put together by hand, and what a server would have stored that did as it was told. */
class Forged {
  readonly history = new History();
  readonly runs: Run[] = [];
  #made = 0;

  begin(method: Method, timeoutMs?: number): MadeCall {
    return this.history.begin(method, 0, ++this.#made, timeoutMs);
  }

  /** Notes that the call has run, and what it returned. */
  run(call: MadeCall, method = call.method as Run['method']): number {
    const value = this.runs.filter((run) => run.method === method).length + 1;
    this.runs.push({ method, client: call.client, n: call.n, value });
    return value;
  }

  end(call: MadeCall, outcome: Outcome, value?: number, tookMs = 1): void {
    call.value = value;
    this.history.end(call, outcome, tookMs);
  }

  /** A call that begins, runs and succeeds. */
  succeed(method: Run['method']): MadeCall {
    const call = this.begin(method);
    this.end(call, 'succeeded', this.run(call));
    return call;
  }

  get ledger(): Ledger {
    const count = (method: Run['method']) => this.runs.filter((run) => run.method === method).length;
    return { increments: count('increment'), bumps: count('bump'), runs: this.runs };
  }

  check(ledger = this.ledger, given: Partial<typeof circumstances> = {}): string[] {
    return check(this.history.calls, ledger, { ...circumstances, ...given });
  }
}

describe('the checker of chaos', () => {
  test('finds nothing wrong where calls ran as they were told to have', () => {
    const forged = new Forged();
    forged.succeed('increment');
    forged.succeed('bump');
    const [ran, notRun] = [forged.begin('increment'), forged.begin('bump', 10)];
    forged.run(ran);
    forged.end(ran, 'OUTCOME_UNKNOWN');
    forged.end(notRun, 'TIMED_OUT', undefined, 12);
    const read = forged.begin('getValue');
    forged.end(read, 'succeeded', 2);
    forged.end(forged.begin('increment'), 'NOT_EXECUTED');
    expect(forged.check()).toEqual([]);
  });

  test('finds a success that is lost', () => {
    const forged = new Forged();
    forged.succeed('increment');
    forged.runs.pop();
    expect(forged.check()).toEqual(['increment 1 of client 0 succeeded and is not stored']);
  });

  test.each(['succeeded', 'OUTCOME_UNKNOWN', 'TIMED_OUT'] as const)('finds a call that ran twice and %s', (outcome) => {
    const forged = new Forged();
    const call = forged.begin('increment', 10);
    const value = forged.run(call);
    forged.run(call);
    forged.end(call, outcome, outcome === 'succeeded' ? value : undefined);
    expect(forged.check()).toEqual([`increment 1 of client 0 has run 2 times and ended with ${outcome}`]);
  });

  test.each(['NOT_EXECUTED', 'OVERLOADED'] as const)('finds a call that ran and ended with %s', (outcome) => {
    const forged = new Forged();
    const call = forged.begin('bump');
    forged.run(call);
    forged.end(call, outcome);
    expect(forged.check()).toEqual([`bump 1 of client 0 ended with ${outcome} and has run`]);
  });

  test('finds a result that is that of another call', () => {
    const forged = new Forged();
    const first = forged.succeed('increment');
    forged.succeed('increment');
    first.value = 2;
    expect(forged.check()).toEqual([
      'increment 1 of client 0 returned 2, but what is stored is 1',
      // Neither order of the two has the second return what the first one did.
      'increment 2 of client 0 returned 2 when it had to be 3 at least',
    ]);
  });

  test('finds a run that nobody asked for', () => {
    const forged = new Forged();
    forged.run({ ...forged.begin('increment'), n: 7 });
    forged.end(forged.history.calls[0], 'NOT_EXECUTED');
    expect(forged.check()).toEqual(['increment 7 of client 0 has run, and nobody called it']);
  });

  test('finds a counter that was set back, and values that came twice', () => {
    const forged = new Forged();
    forged.succeed('increment');
    forged.succeed('increment');
    expect(forged.check({ ...forged.ledger, increments: 1 })).toEqual(['the counter of increment is 1 after 2 runs']);
    const again = forged.begin('increment');
    forged.runs.push({ method: 'increment', client: 0, n: again.n, value: 2 });
    forged.end(again, 'OUTCOME_UNKNOWN');
    expect(forged.check()).toEqual(['increment has returned a value twice']);
  });

  test('finds a read that goes back behind what had ended before it began, and no other', () => {
    const forged = new Forged();
    forged.succeed('increment');
    const during = forged.begin('getValue');
    forged.succeed('increment');
    const after = forged.begin('getValue');
    forged.end(during, 'succeeded', 1);
    forged.end(after, 'succeeded', 1);
    expect(forged.check()).toEqual(['getValue 4 of client 0 returned 1 when it had to be 2 at least']);
  });

  test('finds calls that never settle, or late, or as none may', () => {
    const forged = new Forged();
    forged.begin('getValue');
    forged.end(forged.begin('getValue'), 'succeeded', 0, 1001);
    forged.end(forged.begin('getValue', 10), 'TIMED_OUT', undefined, 111);
    forged.end(forged.begin('getValue'), 'TIMED_OUT', undefined);
    forged.end(forged.begin('getValue'), 'INTERNAL', undefined);
    forged.end(forged.begin('getValue'), 'threw', undefined);
    expect(forged.check()).toEqual([
      'getValue 1 of client 0 never settled',
      'getValue 2 of client 0 settled after 1001 ms, 1000 at most',
      'getValue 3 of client 0 settled after 111 ms, 110 at most',
      'getValue 4 of client 0 timed out without a deadline',
      'getValue 5 of client 0 ended with INTERNAL: undefined',
      'getValue 6 of client 0 ended with threw: undefined',
    ]);
    expect(forged.check(forged.ledger, { mayThrow: true })).toHaveLength(5);
  });
});
