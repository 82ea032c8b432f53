import { RpcError } from '../../errors/rpc-error.ts';
import { Timer } from '../timer.ts';
import type { Call } from './call.ts';
import type { CallOptions } from './node.ts';

/** Why a call need not be made at all: its caller has given up already. */
export function alreadyOver(name: string, { signal }: CallOptions): RpcError | undefined {
  if (!signal?.aborted) return undefined;
  return new RpcError('CANCELLED', `${name}() was not called: its signal was aborted before`, { cause: signal.reason });
}

/** Gives a call up when its signal is aborted or its time is over. */
export function limitCall(call: Call, { signal, timeoutMs }: CallOptions, giveUp: (reason: RpcError) => void): void {
  if (call.outcome !== undefined || (signal === undefined && timeoutMs === undefined)) return;
  const abort = () =>
    giveUp(new RpcError('CANCELLED', `${call.name}() was cancelled; it may have run`, { cause: signal?.reason }));
  const expire = () =>
    giveUp(new RpcError('TIMED_OUT', `${call.name}() took longer than ${timeoutMs} ms; it may have run`));
  const timer = timeoutMs === undefined ? undefined : new Timer();
  timer?.set(timeoutMs!, expire);
  signal?.addEventListener('abort', abort);
  call.onSettled(() => {
    timer?.stop();
    signal?.removeEventListener('abort', abort);
  });
}
