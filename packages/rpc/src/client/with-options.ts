import { isTimeout, isTraceparent } from '../protocol/call-terms.ts';
import { type CallOptions, nodeOf } from '../session/outgoing/node.ts';
import { type StubSession, stubWithOptions } from '../session/outgoing/stub.ts';

/**
 * Returns a stub like the one given, whose calls can be cancelled, time out or carry a trace.
 * @throws {TypeError} where the value is no stub, or an option is not what it has to be
 */
export function withOptions<S extends object>(stub: S, options: CallOptions): S {
  const node = nodeOf(stub);
  if (node === undefined) throw new TypeError('withOptions() needs a stub');
  // Else the other side would refuse the whole frame, with the calls of others.
  if (!isTimeout(options.timeoutMs)) throw new TypeError('timeoutMs needs a number of milliseconds, 0 or more');
  if (!isTraceparent(options.traceparent)) throw new TypeError('traceparent needs a text of at most 256 characters');
  return stubWithOptions(node.owner as StubSession, node, typeof stub === 'function', options) as S;
}
