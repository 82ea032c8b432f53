import { BURST_FLOOR, MAIN_ARMS, PLAIN_ARMS } from '../blocks/arms.ts';
import { COUNTER_HOSTS, counterProfile } from '../blocks/profiles.ts';
import { blocksFamily } from './blocks.ts';

/** Calls of the counter: what the short profile measures. */
export const COUNTER = blocksFamily({
  name: 'counter',
  about: 'increment and getValue: one at a time, many in flight, many in one turn; connecting',
  subjects: [...MAIN_ARMS, ...PLAIN_ARMS, BURST_FLOOR].map(({ id }) => id),
  hosts: COUNTER_HOSTS,
  configuration: [
    'Counter operations: increment() and getValue() on one CounterImpl, synchronous ctx.storage.kv; a fresh object and a fresh connection for each block',
  ],
  profile: counterProfile,
});
