// Signals stand among the operations of a call frame: lists that begin with one of these. They are not answered.

/** Places in the frame of operations that are only steps: their results are kept, not sent. Comes last. */
export const STEPS = -1;
/** `id, count, …`: references that the sender no longer holds, and how often it had received each. */
export const RELEASE = -2;
/** Ids of calls whose kept results the sender no longer needs. */
export const FORGET = -3;
/** `id, reason`: the sender no longer waits for a call. */
export const CANCEL = -4;
/** `topic, cost`: the sender has gone through events of that cost. */
export const CONSUMED = -6;
/** `topic, count`: the sender has no use any more for subscriptions to a topic, of which it had received so many. */
export const UNSUBSCRIBE = -7;

/** Ids of calls whose stored results have arrived. */
export const ACKNOWLEDGE = -8;
/** The client ends for good: whatever is stored for it can go. */
export const LEAVE = -9;

/** A signal as it is encoded. */
export type Signal = readonly [kind: number, ...rest: unknown[]];
