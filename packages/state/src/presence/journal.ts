import type { TopicJournal } from '@lumenize/rpc/server';

/**
 * Returns a journal that numbers events and keeps none. The numbers begin anew when the object has left memory, which
 * followers see as a gap of unknown size: nothing was sent in between.
 */
export function memoryJournal(): TopicJournal {
  const ownEpoch = Math.random().toString(36).slice(2);
  let newest = 0;
  return {
    storesLater: false,
    ownEpoch,
    get newest(): [string, number] {
      return [ownEpoch, newest];
    },
    prepare() {},
    resume: ([epoch, sequence]) => ({ last: newest, missed: epoch === ownEpoch ? newest - sequence : Infinity }),
    append: () => ++newest,
    commitTurn: () => newest,
    read: () => undefined,
    delete() {},
  };
}
