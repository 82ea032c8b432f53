import { callContext } from '@lumenize/rpc/server';
import { ChannelsTarget } from './target/channels-target.ts';
import { note, noted } from './target/journal.ts';

/**
 * What the contract's cases call. Its members are declared in several classes, by what they are for: that inherited
 * members are remote as well is part of the contract.
 */
export class ContractTarget extends ChannelsTarget {
  journal(key: string): string[] {
    return noted(key);
  }

  counts(): object {
    return { ...callContext().counts };
  }

  /** What only waits for another call would seem to hang to some runtimes. */
  takesASecond(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 1000));
  }

  /** Ends when its call is cancelled. */
  untilCancelled(key: string): Promise<never> {
    const { signal } = callContext();
    note(key, 'begun');
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        note(key, `cancelled: ${(signal.reason as Error)?.name ?? signal.reason}`);
        reject(signal.reason);
      });
    });
  }

  /** Ends when a signal among its arguments is aborted. */
  untilAborted(signal: AbortSignal, key?: string): Promise<string> {
    note(key, 'begun');
    return new Promise((resolve) => {
      const end = () => {
        note(key, 'aborted');
        resolve(`aborted: ${(signal.reason as Error)?.message ?? signal.reason}`);
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end);
    });
  }

  untilAbortedIn(data: { deep: AbortSignal[] }, key?: string): Promise<string> {
    return this.untilAborted(data.deep[0], key);
  }

  context() {
    const { caller, callId, deadline, traceparent, signal } = callContext();
    return {
      connectionId: caller?.connectionId,
      callId,
      deadline,
      traceparent,
      aborted: signal.aborted,
    };
  }

  async contextLater() {
    const before = this.context();
    await new Promise((resolve) => setTimeout(resolve, 0));
    return { before, after: this.context() };
  }

  rows(count: number): { id: number; name: string; flag: boolean; counter: ReturnType<ContractTarget['counter']> }[] {
    return Array.from({ length: count }, (_, id) => ({
      id,
      name: `row ${id}`,
      flag: id % 2 === 0,
      counter: this.counter(id * 10),
    }));
  }

  ids(count: number): number[] {
    return Array.from({ length: count }, (_, id) => id);
  }

  idsByName(): Map<string, number> {
    return new Map([
      ['one', 1],
      ['two', 2],
      ['three', 3],
    ]);
  }

  isEven(n: number): boolean {
    return n % 2 === 0;
  }

  describe(id: number): string {
    return `number ${id}`;
  }

  describeOdd(id: number): string {
    if (id % 2 === 0) throw new RangeError(`${id} is even`);
    return `number ${id}`;
  }

  async describeLater(id: number): Promise<string> {
    await Promise.resolve();
    return `number ${id}`;
  }
}
