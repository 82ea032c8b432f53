import type { Mutant } from './mutant.ts';

const SUBSCRIBER = 'packages/rpc/src/server/topics/subscriber.ts';
const JOURNAL = 'packages/rpc/src/server/topics/journal.ts';
const TOPICS_FILE = 'packages/rpc/src/server/topics/topics.ts';
const BATCHING = 'packages/rpc/src/server/topics/batching-journal.ts';
const INBOX = 'packages/rpc/src/extensions/subscriptions/subscription.ts';
const SUBSCRIPTIONS = 'packages/rpc/src/extensions/subscriptions/subscriptions.ts';

/** Defects in publishing, storing, sending and reading events. */
export const TOPICS: readonly Mutant[] = [
  {
    name: 'an-event-is-sent-although-its-transaction-was-rolled-back',
    file: TOPICS_FILE,
    find: ' && pending[at].number <= newest; )',
    replace: '; )',
  },
  {
    name: 'an-event-that-was-rolled-back-is-sent-beside-the-one-that-has-its-number',
    file: TOPICS_FILE,
    find: 'while (this.#pending.length > 0 && this.#pending.at(-1)!.number >= number) this.#pending.pop();',
    replace: '',
  },
  {
    name: 'events-that-are-sent-together-are-numbered-from-the-one-before',
    file: TOPICS_FILE,
    find: 'const first = pending[at].number;',
    replace: 'const first = pending[at].number - 1;',
  },
  {
    name: 'one-event-less-is-retained',
    file: JOURNAL,
    find: 'const expired = last - this.#kept;',
    replace: 'const expired = last - Math.max(1, this.#kept - 1);',
  },
  {
    name: 'events-behind-a-gap-are-read-as-if-there-were-none',
    file: JOURNAL,
    find: 'else if (stored.first !== first + events.length) break;',
    replace: '',
  },
  {
    name: 'of-events-that-are-stored-together-the-first-is-read-twice',
    file: JOURNAL,
    find: 'slice(first + events.length - stored.first)',
    replace: 'slice(Math.max(0, first + events.length - stored.first - 1))',
  },
  {
    name: 'numbers-of-events-that-a-crash-has-lost-are-given-again',
    file: JOURNAL,
    find: 'this.#given = Math.max(this.#stored, given);',
    replace: 'this.#given = this.#stored;',
  },
  {
    name: 'numbers-that-were-noted-ahead-are-lost-although-nothing-was',
    file: BATCHING,
    find: 'this.#given = this.reserveNumbers(this.#last);',
    replace: '',
  },
  {
    name: 'events-that-are-not-stored-yet-are-read-from-one-too-far',
    file: BATCHING,
    find: 'const place = first - this.#stored - 1;',
    replace: 'const place = first - this.#stored;',
  },
  {
    name: 'events-are-stored-together-under-the-number-before',
    file: JOURNAL,
    find: 'const row = [last, last - events.length + 1, stored,',
    replace: 'const row = [last, last - events.length, stored,',
  },
  {
    name: 'a-position-is-taken-for-known-whatever-its-epoch',
    file: JOURNAL,
    find: 'sequence === 0 ||',
    replace: 'sequence <= newest ||',
  },
  {
    name: 'runs-of-an-object-are-not-told-apart',
    file: JOURNAL,
    find: 'readonly #run = randomName();',
    replace: "readonly #run = 'run';",
  },
  {
    name: 'a-topic-that-was-deleted-keeps-its-epoch',
    file: JOURNAL,
    find: 'this.ownEpoch = epoch === undefined ? this.#newLife() :',
    replace: 'this.ownEpoch = epoch === undefined ? this.ownEpoch :',
  },
  {
    name: 'the-epoch-before-that-of-a-row-is-not-noted',
    file: JOURNAL,
    find: 'this.ownEpoch, this.#before ?? null];',
    replace: 'this.ownEpoch, null];',
  },
  {
    name: 'a-subscriber-does-not-notice-that-its-topic-has-begun-anew',
    file: INBOX,
    find: 'if (sequence > 0 && lifeOf(epoch) !== lifeOf(position[0])) missed',
    replace: 'if (sequence < 0) missed',
  },
  {
    name: 'events-are-stored-only-when-there-are-enough',
    file: BATCHING,
    find: 'if (this.#timer === undefined) this.#setTimer();',
    replace: '',
  },
  {
    name: 'a-subscription-does-not-begin-where-it-was-asked-to',
    file: TOPICS_FILE,
    find: 'position.sent = Math.min(last, position.isBehind ? position.sent : last);\n      position.isBehind = true;',
    replace: '',
  },
  {
    name: 'a-second-subscription-of-a-connection-moves-the-first-one-ahead',
    file: TOPICS_FILE,
    find: 'position.sent = Math.min(last, position.isBehind ? position.sent : last);',
    replace: 'position.sent = last;',
  },
  {
    name: 'the-event-at-which-a-subscriber-falls-behind-is-lost',
    file: TOPICS_FILE,
    find: 'position.sent = first - 1;',
    replace: 'position.sent = last;',
  },
  {
    name: 'what-a-subscriber-has-gone-through-is-not-taken-off',
    file: TOPICS_FILE,
    find: 'position.outstanding = Math.max(0, position.outstanding - cost);',
    replace: '',
  },
  {
    name: 'a-subscriber-that-catches-up-is-never-taken-for-caught-up',
    file: TOPICS_FILE,
    find: 'position.isBehind = position.sent < newest;',
    replace: 'position.isBehind = position.sent <= newest;',
  },
  {
    name: 'of-several-subscriptions-that-end-together-one-is-taken-off',
    file: TOPICS_FILE,
    find: 'position.count -= count;',
    replace: 'position.count--;',
  },
  {
    name: 'the-end-of-one-subscription-ends-others-of-the-connection',
    file: TOPICS_FILE,
    find: 'if (position.count <= 0) {',
    replace: 'if (count > 0) {',
  },
  {
    name: 'what-a-subscription-begins-with-waits-for-the-next-event',
    file: TOPICS_FILE,
    find: 'atEndOfTurn(() => this.#topics.announced(channel));',
    replace: '',
  },
  {
    name: 'a-subscription-goes-on-where-it-once-began',
    file: SUBSCRIBER,
    find: 'new SubscriptionRequest(outcome.value.topic, after)',
    replace: 'outcome.value',
  },
  {
    name: 'an-object-that-wakes-does-not-know-who-is-subscribed',
    file: TOPICS_FILE,
    find: 'this.named(name).positions.set(channel, { count, sent: sent ?? 0, outstanding, isBehind });',
    replace: '',
  },
  {
    name: 'subscribers-stay-when-their-connection-has-ended',
    file: 'packages/rpc/src/server/served-object.ts',
    find: 'if (connection.topics !== undefined) topics().ended(connection);',
    replace: '',
  },
  {
    name: 'a-gap-between-events-is-not-told-of',
    file: INBOX,
    find: 'this.#skip([epoch, first - 1]);',
    replace: '',
  },
  {
    name: 'a-gap-is-one-larger-than-it-is',
    file: INBOX,
    find: 'missed = position[1] - this.received[1]): void {',
    replace: 'missed = position[1] - this.received[1] + 1): void {',
  },
  {
    name: 'events-that-are-known-come-again',
    file: INBOX,
    find: 'if (sequence > this.received[1]) {',
    replace: 'if (sequence >= first) {',
  },
  {
    name: 'events-that-were-gone-through-are-not-counted',
    file: INBOX,
    find: '--delivery.left === 0) delivery.consumed',
    replace: '--delivery.left < 0) delivery.consumed',
  },
  {
    name: 'a-subscription-goes-on-one-event-too-late',
    file: SUBSCRIPTIONS,
    find: 'frame.subscriptions.push([callId - firstId, inbox.received]);',
    replace: 'frame.subscriptions.push([callId - firstId, inbox.received + 1]);',
  },
  {
    name: 'a-subscription-gets-nothing-more-after-it-has-gone-on',
    file: SUBSCRIPTIONS,
    find: 'feed.inboxes.add(known);',
    replace: '',
  },
  {
    name: 'a-subscription-whose-call-was-given-up-stays',
    file: SUBSCRIPTIONS,
    find: 'if (call === undefined) inbox.end();',
    replace: '',
  },
  {
    name: 'the-server-is-not-told-that-a-subscription-has-ended',
    file: SUBSCRIPTIONS,
    find: 'this.#session.outgoing.signal([UNSUBSCRIBE, inbox.topic, feed.count]);',
    replace: '',
  },
  {
    name: 'subscriptions-end-with-their-connection',
    file: 'packages/rpc/src/client/session.ts',
    find: 'state.disconnected?.(error, !isBlamed);',
    replace: 'state.disconnected?.(error, false);',
  },
  {
    name: 'a-subscription-that-is-to-go-on-ends-where-it-meets-a-limit',
    file: 'packages/rpc/src/server/delivery/run-again.ts',
    find: 'ageMs !== undefined && !subscriptions.has(place)',
    replace: 'ageMs !== undefined',
  },
];
