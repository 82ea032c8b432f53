import type { CodecName } from '../codecs/codec.ts';
import { isSteady } from '../statistics/steady.ts';
import type { Bench } from './bench.ts';

/** Long enough to be told from the clock's own noise, short enough for several of them. */
const BLOCK_MS = 2;
/** The first block is a single operation, and nothing is compiled yet: how many fit is found in steps. */
const MOST_GROWTH = 8;

/** How long one operation takes now, and whether it is still getting faster. */
export interface Warm {
  readonly operationMs: number;
  readonly steady: boolean;
}

/** Lets codecs work on a payload in turn, until each is steady or has had `limitMs`. */
export async function warmUp(
  bench: Bench,
  payload: string,
  codecs: readonly CodecName[],
  limitMs: number,
): Promise<Map<CodecName, Warm>> {
  const states = codecs.map((codec) => ({ codec, count: 1, spentMs: 0, operationsMs: [] as number[], steady: false }));
  let open = states;
  while (open.length > 0) {
    for (const state of open) {
      const elapsedMs = await bench.time(payload, state.codec, 'both', state.count);
      const operationMs = elapsedMs / state.count;
      state.spentMs += elapsedMs;
      // Blocks of a few operations, before there are enough of them to fill one, say nothing of steadiness.
      if (elapsedMs > BLOCK_MS / 2) state.operationsMs.push(operationMs);
      state.steady = isSteady(state.operationsMs);
      const wanted = Math.round(BLOCK_MS / operationMs);
      state.count = Math.max(1, Math.min(wanted, state.count * MOST_GROWTH));
    }
    open = open.filter(({ spentMs, steady }) => !steady && spentMs < limitMs);
  }
  return new Map(
    states.map(({ codec, operationsMs, spentMs, steady }) => {
      const operationMs = operationsMs.length > 0 ? Math.min(...operationsMs) : spentMs;
      return [codec, { operationMs, steady }];
    }),
  );
}
