import { RpcError } from '../../errors/rpc-error.ts';
import { Timer } from '../timer.ts';
import type { Call } from './call.ts';
import type { CallOptions } from './node.ts';

/** Has a call given up when its signal is aborted or its time is over. It fails at once where the signal is aborted already. */
export function limitCall(call: Call, { signal, timeoutMs }: CallOptions): void {
  const { name } = call;
  if (signal?.aborted) {
    const message = `${name}() was not called: its signal was aborted before`;
    return call.fail(new RpcError('CANCELLED', message, { cause: signal.reason }));
  }
  const abort = () =>
    call.giveUp(new RpcError('CANCELLED', `${name}() was cancelled; it may have run`, { cause: signal?.reason }));
  const expire = () =>
    call.giveUp(new RpcError('TIMED_OUT', `${name}() took longer than ${timeoutMs} ms; it may have run`));
  const timer = new Timer();
  if (timeoutMs !== undefined) timer.set(timeoutMs, expire);
  signal?.addEventListener('abort', abort);
  call.onSettled(() => {
    timer.stop();
    signal?.removeEventListener('abort', abort);
  });
}
