import { type CallOptions, nodeOf } from '../session/outgoing/node.ts';
import { type StubSession, stubWithOptions } from '../session/outgoing/stub.ts';

/**
 * Returns a stub like the one given, whose calls can be cancelled, time out or carry a trace.
 * @throws {TypeError} where the value is no stub
 */
export function withOptions<S extends object>(stub: S, options: CallOptions): S {
  const node = nodeOf(stub);
  if (node === undefined) throw new TypeError('withOptions() needs a stub');
  return stubWithOptions(node.owner as StubSession, node, typeof stub === 'function', options) as S;
}
