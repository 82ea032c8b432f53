import { isTraceparent } from '../../protocol/call-terms.ts';
import type { Call } from '../outgoing/call.ts';
import type { Node } from '../outgoing/node.ts';
import type { ObserveCall } from './observed-call.ts';
import type { ObservedSession } from './observer.ts';
import { endOf } from './outcome-end.ts';
import { watch } from './watched.ts';

/** Makes a call by `make`, and tells observers of its beginning and its end. */
export function observeOutgoing(
  observers: readonly ObserveCall[],
  session: ObservedSession,
  node: Node,
  args: unknown[] | undefined,
  make: (node: Node) => Call,
): Call {
  const { path, name, options } = node;
  const watched = watch(
    observers,
    {
      direction: 'outgoing',
      method: path.join('.') || name,
      isRead: args === undefined,
      args,
      traceparent: options?.traceparent,
      address: session.description,
      caller: undefined,
      callId: undefined,
    },
    (error) => session.onError(error, 'observe', undefined),
  );
  if (watched === undefined) return make(node);
  const bytesBefore = session.unsentBytes;
  const startedAt = performance.now();
  const call = make(withTrace(node, watched.traceparent));
  const callBytes = session.unsentBytes - bytesBefore;
  const end = () => {
    const { outcome, frame } = call;
    const hasArrived = outcome?.ok === true && frame !== undefined;
    watched.end(
      endOf(outcome, {
        durationMs: performance.now() - startedAt,
        callBytes: callBytes > 0 ? callBytes : undefined,
        resultBytes: hasArrived ? session.messageBytes : undefined,
      }),
    );
  };
  if (call.outcome === undefined) call.onSettled(end);
  else end();
  return call;
}

/** With what is no text, or too long, the other side would refuse the whole frame. */
function withTrace(node: Node, traceparent: string | undefined): Node {
  if (traceparent === undefined || !isTraceparent(traceparent)) return node;
  return { ...node, options: { ...node.options, traceparent } };
}
