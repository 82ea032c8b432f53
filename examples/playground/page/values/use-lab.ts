import { type RecordedFrame, recordFrames } from '@lumenize/inspect';
import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ValueLabApi } from '../../src/values/value-lab.ts';
import type { PageConnection } from '../connection/page-connection.ts';
import { useConnection } from '../connection/use-connection.ts';
import { evaluate } from './evaluate.ts';
import { type Exchange, exchange } from './exchange.ts';

/** After so long it is said what is being waited for. */
const PATIENCE_MS = 2000;

const NOT_SETTLED =
  'It awaits something that has not settled yet. It is sent once that has; or send another one in its place.';

/** What the value lab works with. */
export interface Lab {
  readonly connection: PageConnection<ValueLabApi>;
  readonly expression: Signal<string>;
  /** What was wrong with the expression, if anything. */
  readonly problem: ReadonlySignal<string | undefined>;
  readonly result: ReadonlySignal<Exchange | undefined>;
  /** Evaluates the expression, and sends what it gives. */
  send(): Promise<void>;
}

/** Opens the lab of that name, and sends the first value, so that there is something to see. */
export function useLab(name: string, first: string): Lab {
  const frames = useMemo<RecordedFrame[]>(() => [], []);
  const connection = useConnection<ValueLabApi>('values', name, {
    wrapTransport: recordFrames((frame) => frames.push(frame)),
  });
  const expression = useSignal(first);
  const problem = useSignal<string | undefined>(undefined);
  const result = useSignal<Exchange | undefined>(undefined);
  const lab = useMemo<Lab>(() => {
    let isSending = false;
    let isWanted = false;
    let giveUp = new AbortController();
    const sendOne = async () => {
      giveUp = new AbortController();
      const slow = setTimeout(() => {
        problem.value = NOT_SETTLED;
        result.value = undefined;
      }, PATIENCE_MS);
      const evaluated = await evaluate(expression.value, giveUp.signal);
      clearTimeout(slow);
      // Another one is wanted.
      if (evaluated === undefined) return;
      problem.value = 'problem' in evaluated ? evaluated.problem : undefined;
      result.value = 'problem' in evaluated ? undefined : await exchange(connection.stub, frames, evaluated.value);
    };
    const send = async () => {
      isWanted = true;
      giveUp.abort();
      if (isSending) return;
      isSending = true;
      // One value at a time, so that it is known whose the frames are; of those wanted meanwhile, the last.
      try {
        while (isWanted) {
          isWanted = false;
          await sendOne();
        }
      } finally {
        isSending = false;
      }
    };
    return { connection, expression, problem, result, send };
  }, [connection, frames, expression, problem, result]);
  useEffect(() => void lab.send(), [lab]);
  return lab;
}
