/** A defect to plant. Replaces `find`, which occurs once in the file, by `replace`. */
export interface Defect {
  readonly area: 'codec' | 'protocol' | 'client' | 'server' | 'topics' | 'access';
  readonly name: string;
  /** The path from the root of the project. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const CODEC = 'packages/structured-clone/src';
const RPC = 'packages/rpc/src';

/** Defects of different kinds in each area, chosen without knowing which test finds them. */
export const DEFECTS: readonly Defect[] = [
  {
    area: 'codec',
    name: 'minus-zero-arrives-as-zero',
    file: `${CODEC}/form.ts`,
    find: ' && (value !== 0 || 1 / value > 0)',
    replace: '',
  },
  {
    area: 'codec',
    name: 'data-that-looks-like-a-mark-is-read-as-one',
    file: `${CODEC}/form.ts`,
    find: "its || (keys.length === 1 && keys[0][0] === '$')",
    replace: 'its',
  },
  {
    area: 'codec',
    name: 'objects-without-prototype-arrive-with-one',
    file: `${CODEC}/form.ts`,
    find: "state, '$null')",
    replace: 'state)',
  },
  {
    area: 'codec',
    name: 'nothing-is-nested-too-deep-to-be-read',
    file: `${CODEC}/read.ts`,
    find: 'counts.depth++;',
    replace: '',
  },
  {
    area: 'codec',
    name: 'bytes-of-a-value-that-was-refused-stay-in-its-message',
    file: `${CODEC}/write.ts`,
    find: '    tail.length = before;\n    // The text',
    replace: '    // The text',
  },
  {
    area: 'codec',
    name: 'bytes-are-those-of-the-value-before',
    file: `${CODEC}/read.ts`,
    find: 'reading.at = end;',
    replace: '',
  },
  {
    area: 'protocol',
    name: 'the-length-of-a-text-is-that-of-its-characters',
    file: `${CODEC}/message.ts`,
    find: 'setUint32(0, parts[0].length)',
    replace: 'setUint32(0, text.length)',
  },
  {
    area: 'protocol',
    name: 'messages-may-be-larger-than-they-may',
    file: `${RPC}/server/session.ts`,
    find: "if (message.length > limits.maxMessageBytes) throw exceeded('maxMessageBytes', limits, 'TOO_LARGE');",
    replace: '',
  },
  {
    area: 'protocol',
    name: 'a-frame-that-is-sent-again-is-as-young-as-a-new-one',
    file: `${RPC}/client/client-calls.ts`,
    find: 'Date.now() - frame.at',
    replace: '0',
  },
  {
    area: 'protocol',
    name: 'an-identity-is-not-shown-at-the-next-connection',
    file: `${RPC}/client/offer.ts`,
    find: 'if (tag !== undefined) offer.push(IDENTITY_PREFIX + tag);',
    replace: '',
  },
  {
    area: 'client',
    name: 'clients-do-not-wait-longer-from-attempt-to-attempt',
    file: `${RPC}/client/backoff.ts`,
    find: '2 ** attempts++',
    replace: '1',
  },
  {
    area: 'client',
    name: 'a-connection-that-does-not-answer-is-asked-for-ever',
    file: `${RPC}/client/heartbeat.ts`,
    find: "client.drop('no sign of life');",
    replace: 'heartbeat.ask();',
  },
  {
    area: 'client',
    name: 'an-attempt-may-take-for-ever',
    file: `${RPC}/client/client.ts`,
    find: "() => this.drop('it takes too long'),",
    replace: '() => {},',
  },
  {
    area: 'client',
    name: 'calls-that-have-been-sent-are-taken-for-calls-that-have-not',
    file: `${RPC}/client/client-calls.ts`,
    find: 'if (sent <= 0)\n    return error',
    replace: 'if (sent >= 0)\n    return error',
  },
  {
    area: 'client',
    name: 'frames-that-pass-functions-are-sent-again',
    file: `${RPC}/client/client.ts`,
    find: '? !isBound && sent < (UNREADABLE',
    replace: '? sent < (UNREADABLE',
  },
  {
    area: 'server',
    name: 'the-result-of-an-exactly-once-call-is-stored-outside-of-a-transaction',
    file: `${RPC}/server/stored-results.ts`,
    find: 'return this.storage.transactionSync(() => {',
    replace: 'return ((job: () => unknown) => job())(() => {',
  },
  {
    area: 'server',
    name: 'results-of-other-clients-go-with-those-that-have-arrived',
    file: `${RPC}/server/stored-results.ts`,
    find: "this.delete('client = ? AND call < ?', client.name, id)",
    replace: `this.delete("client <> '' AND call < ?", id)`,
  },
  {
    area: 'server',
    name: 'a-stored-result-is-empty-when-its-call-comes-again',
    file: `${RPC}/server/stored-results.ts`,
    find: 'if (row !== undefined) return decode(row.result);',
    replace: 'if (row !== undefined) return undefined;',
  },
  {
    area: 'server',
    name: 'stored-results-that-have-arrived-are-kept',
    file: `${RPC}/server/stored-results.ts`,
    find: 'if (client !== undefined && this.exists())',
    replace: 'if (client === null && this.exists())',
  },
  {
    area: 'server',
    name: 'a-target-is-not-told-that-nobody-holds-it-any-more',
    file: `${RPC}/peer/references.ts`,
    find: 'this.peer.target !== value && disposeOf(value)',
    replace: 'undefined',
  },
  {
    area: 'server',
    name: 'an-object-may-leave-memory-while-a-call-runs',
    file: `${RPC}/server/session.ts`,
    find: 'this.host.keepAwake?.(this.waking.promise);',
    replace: '',
  },
  {
    area: 'topics',
    name: 'an-event-is-sent-although-its-transaction-was-rolled-back',
    file: `${RPC}/server/topics/journal.ts`,
    find: 'this.#given = isThere ? this.#stored : this.newest[1];',
    replace: 'this.#given = isThere ? this.#stored : this.#stored;',
  },
  {
    area: 'topics',
    name: 'one-event-less-is-retained',
    file: `${RPC}/server/topics/journal.ts`,
    find: 'Math.max(1, this.retain)',
    replace: 'Math.max(1, this.retain - 1)',
  },
  {
    area: 'topics',
    name: 'events-behind-a-gap-are-read-as-if-there-were-none',
    file: `${RPC}/server/topics/journal.ts`,
    find: 'else if (stored.first !== first + events.length) break;',
    replace: '',
  },
  {
    area: 'topics',
    name: 'numbers-of-events-are-given-again-after-a-crash',
    file: `${RPC}/server/topics/batching-journal.ts`,
    find: 'if (newest > this.#given) this.#given',
    replace: 'if (newest < 0) this.#given',
  },
  {
    area: 'access',
    name: 'a-guard-that-answers-what-is-true-enough-lets-in',
    file: `${RPC}/server/declare.ts`,
    find: 'if (answer !== true)',
    replace: 'if (!answer)',
  },
  {
    area: 'access',
    name: 'guards-of-getters-are-not-asked',
    file: `${RPC}/server/declare.ts`,
    find: 'const isChecked = checks.validators.length > 0 || checks.guards.length > 0;',
    replace: 'const isChecked = !member.getter && (checks.validators.length > 0 || checks.guards.length > 0);',
  },
  {
    area: 'access',
    name: 'a-caller-whose-identity-has-expired-may-call',
    file: `${RPC}/server/session.ts`,
    find: 'return caller?.expiresAt !== undefined && isExpired(caller);',
    replace: 'return false;',
  },
  {
    area: 'access',
    name: 'more-arguments-than-there-are-schemas-reach-the-method',
    file: `${RPC}/server/validate.ts`,
    find: 'args.length > length)',
    replace: 'args.length > length + 1)',
  },
];
