import { ACKNOWLEDGE, LEAVE } from '../../protocol/signal.ts';
import type { Extension, StoredResults } from '../../session/extension.ts';
import { Call, type OutgoingFrame, pass } from '../../session/outgoing/call.ts';
import type { CallTable } from '../../session/outgoing/call-table.ts';
import type { Node } from '../../session/outgoing/node.ts';
import type { Outgoing } from '../../session/outgoing/outgoing.ts';

/**
 * Handles the results of exactly-once calls that the server stores. Tells the server which results it need not store
 * any more, and continues from the stored results after a connection was lost.
 */
export const exactlyOnce: Extension = { name: 'exactlyOnce', exactlyOnce: storedResults };

/**
 * Tracks the results that the peer has stored. The next frame names the results that are no longer needed. A result is
 * needed until all calls that use it have settled and, if its step is awaited by now, the step itself has settled,
 * because these calls may be sent again.
 */
function storedResults(outgoing: Outgoing): StoredResults {
  const { table } = outgoing;
  /**
   * Calls with stored results that are not acknowledged yet, by id, which the peer can answer again. Undefined if nobody
   * uses the result any more.
   */
  const unacknowledged = new Map<number, Call | undefined>();
  let hasStored = false;
  return {
    stored(id) {
      const awaited = table.get(id);
      const frame = awaited === undefined ? frameOf(id, table) : undefined;
      const unawaited = [...(frame?.steps ?? []), ...(frame?.givenUp.map(([call]) => call) ?? [])];
      const call = awaited ?? unawaited.find((each) => each.id === id);
      hasStored = true;
      // The call was answered earlier, so its result was noted then.
      if (unacknowledged.has(id) || (call === undefined && frame !== undefined)) return;
      unacknowledged.set(id, call?.isUsed ? call : undefined);
    },

    write() {
      const ids: number[] = [];
      for (const [id, call] of unacknowledged) {
        if (call?.isUsed || table.has(id)) continue;
        unacknowledged.delete(id);
        ids.push(id);
      }
      if (ids.length === 0) return;
      const requeue = () => {
        for (const id of ids) unacknowledged.set(id, undefined);
      };
      // If the peer does not read the frame, it is told again.
      pass(outgoing.append([ACKNOWLEDGE, ...ids]), [{ takeBack: requeue, lost: requeue }]);
    },

    // Asks for the results of steps that other calls were reading, and lets these calls read from the results. The peer
    // may have stored these results, but a result that it only kept for the connection is gone.
    lost() {
      const readers = [...table.values()].filter(({ reads }) => {
        const step = (reads as Node | undefined)?.base;
        return step instanceof Call && step.isKept && !step.isBound && (!step.isOver || unacknowledged.get(step.id));
      });
      for (const reader of readers) {
        const node = reader.reads as Node;
        const step = node.base as Call;
        table.set(step.id, step);
        table.delete(reader.id);
        reader.frame = reader.reads = undefined;
        // A step that is awaited is no longer kept.
        outgoing.waiting.after(step.promise(), reader, { ...node, options: undefined }, undefined);
      }
    },

    leave(mayStore) {
      unacknowledged.clear();
      if (hasStored || (mayStore && table.failed + table.size > 0)) outgoing.signal([LEAVE]);
    },
  };
}

/** Returns the frame of an operation, if a later call in it has not settled and may use its result. */
function frameOf(id: number, table: CallTable): OutgoingFrame | undefined {
  for (const call of table.values()) if (call.id > id && call.frame!.firstId <= id) return call.frame;
  return undefined;
}
