import { RpcError } from '../../errors/rpc-error.ts';
import type { Call } from './call.ts';
import type { CallOptions } from './node.ts';

/** Why a call need not be made at all: its caller has given up already. */
export function alreadyOver(name: string, { signal }: CallOptions): RpcError | undefined {
  return signal?.aborted ? cancelled(name, signal.reason) : undefined;
}

/** Gives a call up when its signal is aborted or its time is over. */
export function limitCall(call: Call, { signal, timeoutMs }: CallOptions, giveUp: (reason: RpcError) => void): void {
  if (call.outcome !== undefined || (signal === undefined && timeoutMs === undefined)) return;
  const abort = () => giveUp(cancelled(call.name, signal?.reason));
  const expire = () =>
    giveUp(new RpcError('TIMED_OUT', `${call.name}() took longer than ${timeoutMs} ms; it may have run`));
  const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
  signal?.addEventListener('abort', abort);
  call.onSettled(() => {
    if (timer !== undefined) clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  });
}

function cancelled(name: string, cause: unknown): RpcError {
  return new RpcError('CANCELLED', `${name}() was cancelled; it may have run`, { cause });
}
