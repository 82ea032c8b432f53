import type { Mutant } from './mutant.ts';

const ADMISSION = 'packages/rpc/src/session/admission.ts';
const RUN = 'packages/rpc/src/session/incoming/run.ts';

/** Defects in how much a side accepts at once, and how long callers wait. */
export const LIMITS: readonly Mutant[] = [
  {
    name: 'one-call-more-than-may-is-running',
    file: ADMISSION,
    find: 'if (this.#calls >= maxCallsInFlight) return',
    replace: 'if (this.#calls > maxCallsInFlight) return',
  },
  {
    name: 'calls-that-have-ended-are-counted-as-running',
    file: ADMISSION,
    find: 'this.#calls += calls;',
    replace: 'this.#calls += Math.max(calls, 0);',
  },
  {
    name: 'calls-that-have-ended-are-counted-as-running-in-the-object',
    file: ADMISSION,
    find: 'this.#load.calls += calls;',
    replace: 'this.#load.calls += Math.max(calls, 0);',
  },
  {
    name: 'bytes-of-calls-that-have-ended-stay-counted',
    file: ADMISSION,
    find: 'if (--frame.holders === 0) this.bytes -= frame.cost;',
    replace: '',
  },
  {
    name: 'calls-run-however-many-are-running',
    file: RUN,
    find: 'if (full !== undefined) return {',
    replace: 'if (this === undefined) return {',
  },
  {
    name: 'a-call-that-may-have-run-is-told-that-there-was-no-room-for-it',
    file: RUN,
    find: 'error: call.refused?.(full) ?? full',
    replace: 'error: full',
  },
  {
    name: 'a-frame-that-may-have-run-is-told-that-it-came-too-fast',
    file: 'packages/rpc/src/server/delivery/run-again.ts',
    find: 'isInDoubt ? inDoubt(refusal) : refusal',
    replace: 'refusal',
  },
  {
    name: 'operations-are-let-in-without-being-counted',
    file: 'packages/rpc/src/server/limits/rates.ts',
    find: 'this.#level -= wanted;',
    replace: '',
  },
  {
    name: 'operations-of-an-identity-are-counted-for-each-connection-alone',
    file: 'packages/rpc/src/server/limits/gate.ts',
    find: 'shared?.take(operations, now) ?? 0',
    replace: '0',
  },
  {
    name: 'what-may-be-called-comes-back-a-thousand-times-too-slowly',
    file: 'packages/rpc/src/server/limits/rates.ts',
    find: 'passed * this.#rate',
    replace: '(passed / 1000) * this.#rate',
  },
  {
    name: 'one-subscription-more-than-may-is-had',
    file: 'packages/rpc/src/server/topics/topics.ts',
    find: '(channel.topics?.size ?? 0) >= limits.maxSubscriptions',
    replace: '(channel.topics?.size ?? 0) > limits.maxSubscriptions',
  },
  {
    name: 'one-reference-more-than-may-is-held',
    file: 'packages/rpc/src/session/references/holders.ts',
    find: 'if (count >= maxReferences) throw',
    replace: 'if (count > maxReferences) throw',
  },
  {
    name: 'one-channel-more-than-may-is-opened',
    file: 'packages/rpc/src/extensions/streams/channels.ts',
    find: 'if (count >= limits.maxChannels) throw',
    replace: 'if (count > limits.maxChannels) throw',
  },
  {
    name: 'channels-of-this-side-that-have-ended-are-counted-as-open',
    file: 'packages/rpc/src/extensions/streams/channels.ts',
    find: 'if (this.#open.delete(ref) && ref >= 0) this.#own--;',
    replace: 'this.#open.delete(ref);',
  },
  {
    name: 'a-frame-may-have-one-operation-more',
    file: 'packages/rpc/src/protocol/call-reader.ts',
    find: 'operations.length === maxOperations',
    replace: 'operations.length > maxOperations',
  },
  {
    name: 'one-result-of-a-step-less-than-may-is-kept',
    file: 'packages/rpc/src/session/references/exports.ts',
    find: 'this.#steps.size > maxHeldResults',
    replace: 'this.#steps.size >= maxHeldResults',
  },
  {
    name: 'a-map-goes-through-one-element-less-than-it-may',
    file: 'packages/rpc/src/extensions/mapping/map-over.ts',
    find: 'if (elements.push(element) > limit) {',
    replace: 'if (elements.push(element) >= limit) {',
  },
  {
    name: 'a-part-of-a-large-message-lacks-its-last-byte',
    file: 'packages/rpc/src/protocol/frame-part.ts',
    find: '(place + 1) * size)',
    replace: '(place + 1) * size - 1)',
  },
  {
    name: 'an-object-stays-awake-for-a-message-that-is-whole',
    file: 'packages/rpc/src/extensions/message-parts/index.ts',
    find: 'this.#done?.();',
    replace: '',
  },
  {
    name: 'one-connection-more-than-may-is-served',
    file: 'packages/rpc/src/server/connections/connections.ts',
    find: 'this.#count + this.#others.size >= limit && this.size >= limit',
    replace: 'this.#count + this.#others.size > limit && this.size > limit',
  },
  {
    name: 'a-call-is-not-given-up-when-its-time-is-over',
    file: 'packages/rpc/src/session/outgoing/stub.ts',
    find: 'if (timeoutMs !== undefined) timer.set(timeoutMs, expire);',
    replace: '',
  },
  {
    name: 'the-timer-of-a-call-outlives-it',
    file: 'packages/rpc/src/session/outgoing/stub.ts',
    find: 'timer.stop();',
    replace: '',
  },
  {
    name: 'a-method-is-not-told-that-its-caller-has-given-up',
    file: 'packages/rpc/src/session/outgoing/outgoing.ts',
    find: 'if (call.isUsed || frame.life === this.life) this.signal(signal);',
    replace: '',
  },
  {
    name: 'calls-wait-for-a-connection-for-ever',
    file: 'packages/rpc/src/client/session.ts',
    find: 'if (this.#waitTimer.isSet || maxWaitMs === 0) return;',
    replace: 'if (maxWaitMs >= 0) return;',
  },
  {
    name: 'one-call-more-than-may-waits-for-a-connection',
    file: 'packages/rpc/src/client/session.ts',
    find: 'if (this.outgoing.size < maxQueuedCalls) return',
    replace: 'if (this.outgoing.size <= maxQueuedCalls) return',
  },
  {
    name: 'a-connection-that-is-dead-is-never-given-up',
    file: 'packages/rpc/src/extensions/heartbeat/index.ts',
    find: "watched.drop('no sign of life');",
    replace: 'ask();',
  },
];
