import { RpcError } from '../errors/rpc-error.ts';
import type { SharedContext } from '../server/other-protocol.ts';
import type { CallContext } from '../session/incoming/call-context.ts';
import { defectBehind, wasThrown } from '../session/incoming/thrown.ts';

/** Tells the server of a call that failed, as its own sessions do. */
export function report(error: unknown, name: string, call: CallContext, { onError, refusals }: SharedContext): void {
  const behind = defectBehind(error);
  if (behind !== undefined) onError(behind.defect, name, call);
  if (wasThrown(error)) onError(error, name, call);
  else refusals.add(error as RpcError, name, call.caller);
}

/** Returns what the client is to get of an error in place of it; undefined where that is the error, without its stack. */
export function forClient(error: Error, withStack: boolean): Error | undefined {
  if (!(error instanceof RpcError)) return withStack ? error : undefined;
  // Code, message and data; what caused it is for the server.
  const { code, message, data, stack } = error;
  const told = Object.assign(new Error(message), { code });
  if (data !== undefined) Object.assign(told, { data });
  told.name = error.name;
  told.stack = withStack ? stack : '';
  return told;
}
