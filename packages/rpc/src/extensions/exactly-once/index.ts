import { ACKNOWLEDGE, LEAVE } from '../../protocol/signal.ts';
import type { Extension, StoredResults } from '../../session/extension.ts';
import { Call, type OutgoingFrame, pass } from '../../session/outgoing/call.ts';
import type { CallTable } from '../../session/outgoing/call-table.ts';
import type { Node } from '../../session/outgoing/node.ts';
import type { Outgoing } from '../../session/outgoing/outgoing.ts';

/** Tells the server which results of exactly-once calls it need not store any more, and goes on from those that it has stored when a connection was lost. */
export const exactlyOnce: Extension = {
  name: 'exactlyOnce',
  exactlyOnce: (outgoing) => storedResults(outgoing as Outgoing),
};

/**
 * Keeps account of results that the other side has stored. With what is sent next it is told which are not needed any more, but not
 * before all calls have settled that use them, and the step itself where it is awaited by now: these may be made again.
 */
function storedResults(outgoing: Outgoing): StoredResults {
  const { table } = outgoing;
  /** Calls by their ids; those whose results nobody uses any more are undefined. */
  const due = new Map<number, Call | undefined>();
  /** Steps that can be answered again, because the other side still has their results. */
  const stored = new WeakSet<Call>();
  let hasStored = false;
  return {
    stored(id) {
      const awaited = table.get(id);
      const frame = awaited === undefined ? frameOf(id, table) : undefined;
      const call = awaited ?? frame?.steps?.find((step) => step.id === id);
      hasStored = true;
      // Of a call that has settled before, this is known.
      if (due.has(id) || (call === undefined && frame !== undefined)) return;
      const used = call?.isUsed ? call : undefined;
      if (used !== undefined) stored.add(used);
      due.set(id, used);
    },

    write() {
      const ids: number[] = [];
      for (const [id, call] of due) {
        if (call?.isUsed || table.has(id)) continue;
        if (call !== undefined) stored.delete(call);
        due.delete(id);
        ids.push(id);
      }
      if (ids.length === 0) return;
      const again = () => {
        for (const id of ids) due.set(id, undefined);
      };
      // It is told again where the other side does not read the frame.
      pass(outgoing.append([ACKNOWLEDGE, ...ids]), [{ takeBack: again, lost: again }]);
    },

    // Has steps be answered that were being read: who read them reads from the answers. Else they would be gone with what the
    // other side kept, although they may be stored.
    lost() {
      const readers = [...table.values()].filter(({ reads }) => {
        const step = (reads as Node | undefined)?.base;
        return step instanceof Call && step.isKept && !step.isBound && (!step.isOver || stored.has(step));
      });
      for (const reader of readers) {
        const node = reader.reads as Node;
        const step = node.base as Call;
        table.set(step.id, step);
        table.delete(reader.id);
        reader.frame = reader.reads = undefined;
        // Awaited, it is no longer kept.
        outgoing.waiting.after(step.promise(), reader, { ...node, options: undefined }, undefined);
      }
    },

    leave(mayStore) {
      due.clear();
      if (hasStored || (mayStore && table.failed + table.size > 0)) outgoing.signal([LEAVE]);
    },
  };
}

/** Returns the frame of an operation, where calls behind it have not settled which may use its result. */
function frameOf(id: number, table: CallTable): OutgoingFrame | undefined {
  for (const call of table.values()) if (call.id > id && call.frame!.firstId <= id) return call.frame;
  return undefined;
}
