import { RpcError } from '../errors.ts';
import type { Call } from './call.ts';
import type { CallOptions } from './options.ts';

/** The longest delay of a timer, about 24 days. A timer that is set for longer goes off at once. */
const LONGEST_MS = 2_147_483_647;

/** Gives up a call when its signal is aborted or its time is over. */
export function limit(
  call: Call,
  { signal, timeoutMs }: CallOptions,
  name: string,
  giveUp: (reason: RpcError) => void,
): void {
  if (signal === undefined && timeoutMs === undefined) return;
  const abort = () =>
    giveUp(new RpcError('CANCELLED', `${name}() was cancelled; it may have run`, { cause: signal!.reason }));
  const expire = () => giveUp(new RpcError('TIMED_OUT', `${name}() took longer than ${timeoutMs} ms; it may have run`));
  const timer = timeoutMs === undefined || timeoutMs > LONGEST_MS ? null : setTimeout(expire, timeoutMs);
  signal?.addEventListener('abort', abort);
  call.ended = () => {
    clearTimeout(timer!);
    signal?.removeEventListener('abort', abort);
  };
}
