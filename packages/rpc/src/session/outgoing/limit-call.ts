import { RpcError } from '../../errors/rpc-error.ts';
import { Timer } from '../timer.ts';
import { failedCall } from './call.ts';
import type { CallOptions, LimitCall } from './node.ts';

/** Returns how to make calls that are given up when a signal is aborted or their time is over. */
export function limitCalls({ signal, timeoutMs }: CallOptions): LimitCall {
  return (name, make, giveUp) => {
    if (signal?.aborted) {
      const message = `${name}() was not called: its signal was aborted before`;
      return failedCall(name, new RpcError('CANCELLED', message, { cause: signal.reason }));
    }
    const call = make();
    if (call.outcome !== undefined || (signal === undefined && timeoutMs === undefined)) return call;
    const abort = () =>
      giveUp(call, new RpcError('CANCELLED', `${name}() was cancelled; it may have run`, { cause: signal?.reason }));
    const expire = () =>
      giveUp(call, new RpcError('TIMED_OUT', `${name}() took longer than ${timeoutMs} ms; it may have run`));
    const timer = timeoutMs === undefined ? undefined : new Timer();
    timer?.set(timeoutMs!, expire);
    signal?.addEventListener('abort', abort);
    call.onSettled(() => {
      timer?.stop();
      signal?.removeEventListener('abort', abort);
    });
    return call;
  };
}
