import { inFile, type Mutant } from './mutant.ts';

/** Defects of topics and subscriptions. */
export const TOPICS: readonly Mutant[] = [
  ...inFile('server/topics/topics.ts', [
    ['turns-send-no-events', 'topic.flush());', 'undefined);'],
    [
      'rolled-back-events-are-sent',
      'const events = pending.filter(({ number }) => number <= newest);',
      'const events = pending;',
    ],
    [
      'a-number-that-was-given-again-has-two-events',
      'this.pending.at(-1)!.number >= number',
      'this.pending.at(-1)!.number > number',
    ],
    [
      'a-subscriber-gets-nothing-from-before',
      'for (let sent = last; missed === undefined && sent < newest; ) {',
      'for (let sent = newest; missed === undefined && sent < newest; ) {',
    ],
    ['a-late-subscriber-is-not-subscribed', 'this.topics.add(this.name, subscriber);', ''],
    [
      'a-subscriber-who-has-left-is-subscribed',
      'if (!subscriber.topics.has(topic.name)) subscriber',
      'if (subscriber === undefined) subscriber',
    ],
    [
      'one-subscriber-gets-the-events',
      'for (const subscriber of this.subscribed) {\n      const calls',
      'for (const subscriber of [...this.subscribed].slice(0, 1)) {\n      const calls',
    ],
    ['one-subscription-ends-all-of-a-connection', 'name as string, count - 1);', 'name as string, 0);'],
    [
      'leaving-leaves-nothing',
      'if (subscriber !== undefined && count !== undefined) this',
      'if (subscriber === undefined && count !== undefined) this',
    ],
    ['who-leaves-gets-more', 'if (count === 0) this.remove(name, subscriber);', ''],
    [
      'who-has-gone-stays-subscribed',
      'for (const name of subscriber.topics.keys()) this.remove(name, subscriber);',
      '',
    ],
    [
      'a-woken-object-knows-no-subscribers',
      'for (const name of subscriber.topics.keys()) this.add(name, subscriber);',
      '',
    ],
    [
      'a-subscription-goes-on-where-its-method-says',
      'const since: unknown = answeredCall()?.since ?? options?.since;',
      'const since: unknown = options?.since ?? answeredCall()?.since;',
    ],
    [
      'subscriptions-begin-at-the-newest',
      'topic.journal.resume(since);',
      '{ last: topic.journal.newest[1], missed: 0 };',
    ],
    ['nobody-is-told-what-is-missing', '...(missed > 0 ? [missed] : [])', ''],
    [
      'newcomers-are-not-announced',
      'const known = this.newcomers.filter((each) => each.session === session);',
      'const known: Topics["newcomers"] = [];',
    ],
    [
      'newcomers-are-announced-each-time',
      '    this.newcomers = this.newcomers.filter((each) => each.session !== session);\n',
      '',
    ],
    [
      'newcomers-are-announced-with-the-answers-of-others',
      'const known = this.newcomers.filter((each) => each.session === session);',
      'const known = this.newcomers;',
    ],
    [
      'a-catch-up-begins-one-too-late',
      'journal.read(sent, CATCH_UP_EVENTS)',
      'journal.read(sent + 1, CATCH_UP_EVENTS)',
    ],
    ['a-catch-up-ends-after-one-frame', 'sent = first + events.length - 1;', 'sent = newest;'],
    [
      'a-topic-that-is-deleted-keeps-its-events',
      'this.pending = [];\n    this.journal.delete();',
      'this.pending = [];',
    ],
    [
      'unsent-events-of-a-turn-are-forgotten',
      'const more = this.pending.filter(({ number }) => number >= first + events.length);',
      'const more = this.pending.filter(() => false);',
    ],
    [
      'the-next-number-is-told-as-that-of-the-last',
      '{ first: newest + 1, events: [] }',
      '{ first: newest, events: [] }',
    ],
  ]),
  ...inFile('server/topics/journal.ts', [
    ['every-position-is-known', 'sequence === 0 ||', 'sequence >= 0 ||'],
    ['a-position-of-the-future-is-known', '(epoch === now && sequence <= newest) ||', 'epoch === now ||'],
    ['no-position-is-known', 'this.#exec(KNOWN, sequence, epoch).toArray().length > 0', 'false'],
    ['numbers-begin-anew-in-each-life', 'this.#given = Math.max(this.#stored, given);', 'this.#given = this.#stored;'],
    [
      'what-is-not-retained-is-stored',
      'this.retain === 0 ? null : (content as unknown as ArrayBuffer)',
      '(content as unknown as ArrayBuffer)',
    ],
    ['one-event-too-few-is-retained', 'const expired = last - this.#kept;', 'const expired = last - this.#kept + 1;'],
    ['one-event-too-many-is-retained', 'const expired = last - this.#kept;', 'const expired = last - this.#kept - 1;'],
    [
      'the-number-of-an-event-is-one-too-high',
      'const last = Math.max(this.#stored, given) + events.length;',
      'const last = Math.max(this.#stored, given) + events.length + 1;',
    ],
    ['memory-does-not-follow-a-rollback', '      this.#readState();\n    }\n  }', '      this.#stored++;\n    }\n  }'],
    [
      'events-are-read-after-the-next',
      'first = Math.max(stored.first, after + 1);',
      'first = Math.max(stored.first, after + 2);',
    ],
    ['a-hole-between-rows-is-not-seen', 'else if (stored.first !== first + events.length) break;', ''],
    ['deleted-topics-are-still-there', 'for (const query of FORGET) this.#exec(query);', ''],
    ['reserved-numbers-are-not-noted', 'this.#exec(GIVE, number, this.ownEpoch);', ''],
    [
      'all-lives-have-one-epoch',
      'this.#ownEpoch ??= `${randomName()}.${this.#life}`;',
      'this.#ownEpoch ??= `life.${this.#life}`;',
    ],
    [
      'what-is-missing-before-the-oldest-is-not-told',
      'const isGap = sequence < last && lifeOf(epoch) === lifeOf(now);',
      'const isGap = sequence < last;',
    ],
    [
      'rolled-back-events-count-as-committed',
      'const isThere = this.#exec(LAST, this.#stored).toArray().length > 0;',
      'const isThere = true;',
    ],
    ['older-events-stay', 'if (this.#oldest <= expired) this.#exec(TRIM, expired);', ''],
  ]),
  ...inFile('server/topics/batching-journal.ts', [
    ['batches-are-never-stored', 'this.#unsaved.length >= everyEvents || this.#unsavedSize > MAX_ROW_SIZE', 'false'],
    ['batches-are-not-stored-in-time', '      this.#setTimer();\n      this.#store();', '      this.#setTimer();'],
    ['no-numbers-are-reserved', 'if (newest > this.#given) this.#given =', 'if (newest < 0) this.#given ='],
    [
      'what-is-not-stored-is-not-read',
      'return { first, events: this.#unsaved.slice(place, place + max) };',
      'return undefined;',
    ],
    ['a-batch-is-stored-twice', '    this.#unsaved = [];\n    this.#unsavedSize = 0;\n    for', '    for'],
    ['reserved-numbers-count-as-lost', 'this.#given = this.reserveNumbers(this.#last);', ''],
    [
      'the-place-in-a-batch-is-one-off',
      'const place = first - this.#stored - 1;',
      'const place = first - this.#stored;',
    ],
    ['events-of-later-batches-keep-their-number', 'this.#newest = this.#last + 1;', 'this.#newest = this.#last + 2;'],
    ['what-is-unsaved-counts-as-stored', 'return this.#last - this.#unsaved.length;', 'return this.#last;'],
  ]),
  ...inFile('client/subscriptions.ts', [
    ['events-that-are-known-come-again', 'if (first + at > this.received) this.#add', 'this.#add'],
    ['a-gap-at-the-beginning-is-not-told', 'if (missed > 0) this.#add({ epoch, sequence: last, missed });', ''],
    ['what-arrives-for-others-is-taken', "inbox.state = 'asked';", "inbox.state = 'live';"],
    [
      'subscriptions-do-not-go-on',
      "for (const inbox of this.inboxes) if (inbox.state === 'paused') this.goOn(inbox);",
      '',
    ],
    [
      'subscriptions-go-on-behind-calls',
      "if (inbox.state === 'paused') this.goOn(inbox);",
      'setTimeout(() => this.goOn(inbox), 100);',
    ],
    ['nobody-is-told-that-a-client-leaves', "if (this.state === 'live' && failure === undefined) leave(this);", ''],
    ['a-subscription-that-ends-does-not', 'for (const { resolve } of reads) resolve(DONE);', ''],
    ['a-full-inbox-does-not-stop', 'this.#waiting.length > MAX_WAITING', 'this.#waiting.length > 1e9'],
    [
      'a-full-inbox-stops-for-good',
      "if (this.state === 'paused' && this.peer.isReady) feedsOf(this.peer).goOn(this);",
      '',
    ],
    [
      'a-subscription-begins-over-and-over',
      'this.received = last;\n  }\n\n  /** Adds',
      'this.received = 0;\n  }\n\n  /** Adds',
    ],
    [
      'a-busy-server-ends-a-subscription',
      "if (!(error instanceof RpcError && (error.retryable || error.code === 'OUTCOME_UNKNOWN')))",
      'if (error instanceof RpcError)',
    ],
    ['all-topics-are-one', '.filter((inbox) => inbox.topic === topic)', '.filter(() => topic !== undefined)'],
  ]),
  ...inFile('server/answers.ts', [
    [
      'events-come-behind-answers',
      '    this.peer.publishing?.flush();\n    super.flush();',
      '    super.flush();\n    this.peer.publishing?.flush();',
    ],
  ]),
  ...inFile('server/session.ts', [
    [
      'newcomers-get-events-before-their-subscription',
      '    super.flush();\n    this.publishing?.announce(this);',
      '    this.publishing?.announce(this);\n    super.flush();',
    ],
  ]),
  ...inFile('server/connections.ts', [['the-end-of-a-connection-is-not-told', 'this.host.ended(connection);', '']]),
  ...inFile('server/rpc-server.ts', [
    ['subscribers-stay-with-ended-connections', 'this.live?.ended(subscriberIn(connection));', ''],
  ]),
];
