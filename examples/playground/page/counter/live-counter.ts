import { type ConnectionStatistics, connection } from '@lumenize/rpc';
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { LiveCounterApi } from '../../src/counter/live-counter.ts';
import { openConnection, type PageConnection } from '../connection/page-connection.ts';
import { whileConnected } from '../connection/while-connected.ts';
import { CallLog } from './call-log.ts';
import type { CounterCall } from './calls.ts';

/** A counter of the Worker, as the page has it. */
export interface LiveCounter {
  readonly connection: PageConnection<LiveCounterApi>;
  /** Undefined until it is known. */
  readonly value: ReadonlySignal<number | undefined>;
  readonly statistics: ReadonlySignal<ConnectionStatistics>;
  readonly log: CallLog;
  make(call: CounterCall): void;
  close(): void;
}

/** Connects to a counter, and follows its value over losses of the connection. */
export function openCounter(name: string): LiveCounter {
  const log = new CallLog();
  const opened = openConnection<LiveCounterApi>('counter', name, {
    onSent(bytes) {
      log.sent(bytes);
      count();
    },
    onReceived: () => count(),
    awaitsAnswer: () => log.awaitsAnswer,
    onLost: (droppedAnswer) => log.lost(droppedAnswer),
  });
  const { stub } = opened;
  const value = signal<number | undefined>();
  const statistics = signal(connection(stub).statistics);

  // Not in the midst of a frame: what it says is counted when it has been read.
  function count(): void {
    queueMicrotask(() => {
      statistics.value = connection(stub).statistics;
    });
  }

  void whileConnected(opened.state, async () => {
    // Both in one frame: no value between the two is missed.
    const [values, first] = await Promise.all([stub.follow(), stub.getValue()]);
    value.value = first;
    for await (const { event } of values) if (event !== undefined) value.value = event;
  });
  return {
    connection: opened,
    value,
    statistics,
    log,
    make: (call) => void log.follow(call, opened.state.value === 'open', () => call.run(stub)),
    close: opened.close,
  };
}

/** The counter of a component, for as long as that is on the page. */
export function useLiveCounter(name: string): LiveCounter {
  const counter = useMemo(() => openCounter(name), [name]);
  useEffect(() => counter.close, [counter]);
  return counter;
}
