import { inFile, type Mutant } from './mutant.ts';

/** Defects in how often and under whose name calls run, and what they end with. */
export const DELIVERY: readonly Mutant[] = [
  ...inFile('server/stored-results.ts', [
    ['a-stored-result-is-not-used', 'if (row !== undefined) return decode(row.result);', ''],
    [
      'a-stored-result-answers-another-client',
      "WHERE client = ? AND call = ?',\n          client,",
      "WHERE ? IS NOT NULL AND call = ?',\n          client,",
    ],
    [
      'results-are-not-stored',
      "this.storage.sql.exec(\n          'INSERT INTO lumenize_rpc_results VALUES (?, ?, ?, ?)',",
      "this.storage.sql.exec(\n          'SELECT ?, ?, ?, ?',",
    ],
    [
      'effects-and-results-are-not-one-transaction',
      'return this.storage.transactionSync(() => {\n        const { value',
      'return (() => {\n        const { value',
    ],
    ['dropped-results-are-taken-for-none', 'madeAt <= totals.droppedUntil || ', ''],
    ['results-from-before-a-declaration-are-taken-for-none', ' || madeAt < this.sinceOf(declared.name, totals)', ''],
    ['too-many-results-are-kept', 'totals.count > maxResults', 'totals.count > maxResults * 100'],
    ['too-large-results-are-kept', 'totals.bytes > maxBytes', 'totals.bytes > maxBytes * 1000'],
    ['old-results-are-kept', 'const isTooMuch =', 'const isTooMuch = false &&'],
    [
      'the-newest-results-are-dropped',
      "FROM lumenize_rpc_results WHERE client <> '' ORDER BY at\"",
      "FROM lumenize_rpc_results WHERE client <> '' ORDER BY at DESC\"",
    ],
    [
      'acknowledged-results-are-kept',
      'if (client !== undefined && this.exists()) this.delete',
      'if (false) this.delete',
    ],
    ['results-that-have-not-arrived-are-dropped', "'client = ? AND call < ?'", "'client = ? AND call < ? + 1000'"],
    ['a-client-drops-results-of-all', "'client = ? AND call < ?'", '"(client = ? OR client <> \'\') AND call < ?"'],
    [
      'nobody-remembers-what-was-dropped',
      "sql.exec(\"INSERT OR REPLACE INTO lumenize_rpc_results VALUES ('', 0, '', ?)\", totals.droppedUntil);",
      '',
    ],
  ]),
  ...inFile('server/session.ts', [
    ['what-arrives-after-the-end-runs', 'if (this.isOver || this.isLate) return;', ''],
    [
      'an-expired-caller-is-served',
      'if (this.caller !== undefined && isExpired(this.caller)) return this.drain(firstIdOf(message));',
      '',
    ],
    ['an-object-does-not-stay-awake', 'this.host.keepAwake?.(this.waking.promise);', ''],
    [
      'an-object-stays-awake',
      '      this.waking.resolve();\n      this.waking = undefined;',
      '      this.waking = undefined;',
    ],
    [
      'events-come-behind-answers',
      '    topics?.flush();\n    super.flush();\n    topics?.announce();',
      '    super.flush();\n    topics?.flush();\n    topics?.announce();',
    ],
    [
      'newcomers-get-events-before-their-subscription',
      '    topics?.flush();\n    super.flush();\n    topics?.announce();',
      '    topics?.announce();\n    topics?.flush();\n    super.flush();',
    ],
    ['a-woken-session-gives-the-same-ids-again', 'Math.floor((Date.now() / 1000 - EPOCH_SECONDS) * IDS_A_SECOND)', '1'],
    ['what-is-sent-again-is-new', 'open, ms + Date.now() - this.acceptedAt)', 'open)'],
    ['a-frame-in-transit-is-younger', 'ms + Date.now() - this.acceptedAt', 'ms'],
    [
      'objects-have-room-for-all-calls',
      'if (shared.calls - this.running + running < limits.maxObjectCallsInFlight) return undefined;',
      'return undefined;',
    ],
    ['one-call-too-many-runs', 'running >= limits.maxCallsInFlight', 'running > limits.maxCallsInFlight'],
    ['a-session-that-has-ended-holds-what-it-held', 'this.lose(error);', 'void error;'],
    ['calls-of-a-session-that-has-ended-run-on', '    this.turns.clear();\n', ''],
  ]),
  ...inFile('server/answers.ts', [
    ['all-of-a-frame-runs-again', 'if (again?.has(id) === false) continue;', ''],
    [
      'what-was-given-up-before-it-was-sent-runs',
      'if (frame[at] !== 0) this.start',
      'if (frame[at] === 0) continue;\n        else if (frame[at] !== -1) this.start',
    ],
    [
      'a-frame-of-too-many-runs',
      'if (frame.length - at > limits.maxOperationsPerFrame)',
      'if (frame.length - at > 1e9)',
    ],
    [
      'a-call-that-may-have-run-is-said-not-to',
      'return running.ageMs === undefined ? error :',
      'return running.ageMs !== -1 ? error :',
    ],
    [
      'what-uses-an-answered-call-runs-again',
      'if (ageMs !== undefined && typeof address',
      'if (ageMs === -1 && typeof address',
    ],
    [
      'a-method-does-not-learn-that-its-caller-gave-up',
      'if (this.waiting.delete(given[at])) call!.giveUp',
      'if (this.waiting.delete(given[at]) && call === undefined) call!.giveUp',
    ],
    [
      'a-method-does-not-learn-that-its-connection-has-ended',
      'for (const call of this.waiting.values()) call.giveUp(reason);',
      '',
    ],
    ['a-place-of-something-passed-is-a-place', "call.isPlace &&= !('of' in args || 'at' in args);", ''],
    ['settled-ids-are-not-told', 'settled?.(peer, frame[1]);', ''],
    ['steps-found-are-disposed-of', 'if (!FOUND.has(value as object)) super.drop(value);', 'super.drop(value);'],
    ['calls-do-not-take-turns', 'if (!turns.isTaken || OURS', 'if (turns !== undefined || OURS'],
  ]),
  ...inFile('server/members.ts', [
    ['everything-may-run-again', 'const isAgain = running.ageMs !== undefined;', 'const isAgain = false;'],
    ['idempotent-methods-may-not-run-again', "|| declared?.delivery === 'again') return;", ') return;'],
    [
      'what-is-in-front-of-an-exactly-once-call-runs-again',
      "if (isLast && (!isAgain || declared?.delivery === 'once')) return;",
      "if (isLast || declared?.delivery === 'once') return;",
    ],
    ['own-properties-do-not-hide', 'return Object.hasOwn(target, name) ? undefined : declaredBy', 'return declaredBy'],
    [
      'only-the-base-class-counts',
      'if (seen.has(name)) continue;',
      'if (declared.has(name) && seen.has(name)) declared.delete(name);',
    ],
    [
      'guards-are-not-asked',
      'return declared.isDelivered\n    ?',
      'return declared.isDelivered && declared.delivery === "once"\n    ?',
    ],
  ]),
  ...inFile('server/deliver.ts', [
    ['what-runs-exactly-once-runs-on-references', 'if (!isOnPlace) {', 'if (!isOnPlace && client === null) {'],
    [
      'checks-of-exactly-once-calls-are-left-out',
      'const checked = check(call, declared, args);\n      if (!isPromise(checked)) return run(checked);',
      'const checked = args as unknown[] | Promise<unknown[]>;\n      if (!isPromise(checked)) return run(checked);',
    ],
    [
      'async-checks-let-through-twice',
      'return checking.then((checked) => stored()',
      'return checking.then(() => args).then((checked) => stored()',
    ],
  ]),
  ...inFile('server/connections.ts', [
    [
      'the-connection-before-stays-open',
      "for (const { socket } of before) this.drop(socket, CLOSE_SUPERSEDED, 'the client has connected again');",
      '',
    ],
    [
      'one-connection-too-many',
      'if (this.count + this.others.size < maxConnections || this.size < maxConnections) return;',
      'if (this.count + this.others.size <= maxConnections || this.size < maxConnections) return;',
    ],
    ['a-close-is-not-answered', 'socket.close(code === NO_CODE || code === CLOSE_ABNORMAL ? CLOSE_NORMAL : code);', ''],
    ['an-ended-connection-counts', 'if (this.count !== undefined) this.count--;', ''],
    ['the-end-of-a-connection-is-not-told', 'this.host.ended(connection);', ''],
    ['a-session-goes-on-after-its-socket', 'connection.session?.closed();', ''],
    [
      'ended-connections-are-found',
      'if (found !== undefined && !found.isOver) this.known',
      'if (found !== undefined) this.known',
    ],
  ]),
  ...inFile('server/sockets.ts', [
    [
      'who-has-expired-gets-events',
      'if (isExpired(this.caller)) this.close',
      'if (this.caller === undefined) this.close',
    ],
    [
      'a-woken-socket-has-no-client',
      'new ClientSocket(socket, parse(caller) as TaggedCaller, client, maxBytes)',
      'new ClientSocket(socket, parse(caller) as TaggedCaller, undefined, maxBytes)',
    ],
  ]),
  ...inFile('server/rpc-server.ts', [
    ['a-new-connection-acknowledges-nothing', 'this.stored.acknowledge(client, client.settled);', ''],
    ['connections-before-are-not-superseded', 'connections.supersede(client);', ''],
    ['a-client-is-not-greeted', 'if (greeting !== undefined) connection.send(greeting);', ''],
    ['a-woken-session-is-not-restarted', 'connection.client).restart();', 'connection.client);'],
    ['frames-behind-the-end-are-served', 'if (connection.isOver) return true;', ''],
    [
      'what-fails-refuses-for-good',
      '(connection ?? socket).close(CLOSE_INTERNAL,',
      '(connection ?? socket).close(CLOSE_POLICY_,',
    ],
    ['subscribers-stay-with-ended-connections', 'this.live?.ended(subscriberIn(connection));', ''],
  ]),
  ...inFile('server/upgrade.ts', [
    [
      'another-identity-goes-on',
      'if (offer.tag !== undefined && offer.tag !== caller.tag) {',
      'if (offer.tag === "") {',
    ],
    ['an-expired-caller-connects', 'if (isExpired(caller)) return refuse(request, expiredError());', ''],
  ]),
  ...inFile('client/client.ts', [
    ['a-frame-is-sent-without-end', 'const MAX_SENT = 3;', 'const MAX_SENT = 300;'],
    ['a-frame-is-sent-once', 'const MAX_SENT = 3;', 'const MAX_SENT = 1;'],
    ['bound-frames-are-sent-again', 'wasOpen ? !isBound && sent < MAX_SENT', 'wasOpen ? sent < MAX_SENT'],
    [
      'frames-from-a-notice-count-as-sent',
      'if (frame.firstId >= from) frame.sent = 0;',
      'if (frame.firstId > from + 1000) frame.sent = 0;',
    ],
    ['a-client-does-not-leave-when-it-is-done', 'if (this.#isDraining) this.#leaveIfDone();', ''],
    [
      'calls-under-way-are-left',
      'if (![...this.#frames().keys()].some(({ sent }) => sent > 0)) this.#connectAnew();',
      'this.#connectAnew();',
    ],
    ['an-identity-is-not-shown', 'if (this.#tag !== undefined) offer.push(IDENTITY_PREFIX + this.#tag);', ''],
    ['places-outlive-their-identity', 'this.life++;', ''],
    [
      'calls-go-on-under-another-identity',
      "      this.#end('reconnecting', error);\n      return this.connect();",
      "      this.#end('reconnecting', error, () => true);\n      return this.connect();",
    ],
    ['calls-wait-without-end', 'if (now - since >= maxWaitMs)', 'if (now - since >= maxWaitMs * 1e6)'],
    ['as-many-calls-wait-as-are-made', 'if (this.calls.size < maxQueuedCalls) return undefined;', 'return undefined;'],
    [
      'what-was-given-up-waits',
      'if (frame !== undefined && frame.sent === 0) {',
      'if (frame !== undefined && frame.sent < 0) {',
    ],
    ['frames-that-waited-are-not-sent', 'for (const [frame, open] of waiting) this.#transmit(frame, open);', ''],
    [
      'answered-calls-are-sent-again',
      '"open":[${open}]',
      '"open":[${Array.from({ length: 100 }, (_, at) => frame.firstId + at)}]',
    ],
    ['all-clients-have-one-name', 'this.#name ??= randomName();', "this.#name ??= '0123456789abcdef0123456789abcdef';"],
    ['settled-calls-are-not-acknowledged', '.${settled}`];', '.0`];'],
    ['calls-that-have-not-settled-are-acknowledged', '.${settled}`];', '.${this.nextId}`];'],
    [
      'an-attempt-that-is-over-counts',
      'const isCurrent = () => attempt === this.#attempt;',
      'const isCurrent = () => attempt !== undefined;',
    ],
    ['a-lost-connection-holds-what-it-held', '      this.lose(error);\n    }', '    }'],
    [
      'a-client-does-not-connect-again',
      'this.#timer = setTimeout(() => this.connect(), this.#backoff.next(code, error));',
      'this.#timer = setTimeout(() => {}, this.#backoff.next(code, error));',
    ],
  ]),
  ...inFile('client/loss.ts', [
    ['every-close-is-final', 'isTemporary: !isFinal,', 'isTemporary: false,'],
    ['an-overloaded-object-is-given-up', "&& told?.code !== 'OVERLOADED'", ''],
  ]),
];
