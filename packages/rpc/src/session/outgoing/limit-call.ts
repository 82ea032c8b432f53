import { RpcError } from '../../errors/rpc-error.ts';
import { Timer } from '../timer.ts';
import { failedCall } from './call.ts';
import type { LimitCall } from './node.ts';

/** Makes a call that is given up when its signal is aborted or its time is over. */
export const limitCall: LimitCall = ({ name, options }, make, giveUp) => {
  const { signal, timeoutMs } = options ?? {};
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
