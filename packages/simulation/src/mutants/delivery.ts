import { inFile, type Mutant } from './mutant.ts';

/** Defects in how often and under whose name calls run, and what they end with. */
export const DELIVERY: readonly Mutant[] = [
  ...inFile('server/stored-results.ts', [
    ['a-stored-result-is-not-used', 'if (row !== undefined) return decode(row.result);', ''],
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
    ['an-object-does-not-stay-awake', 'this.host.keepAwake?.(this.waking.promise);', ''],
    [
      'an-object-stays-awake',
      '      this.waking.resolve();\n      this.waking = undefined;',
      '      this.waking = undefined;',
    ],
    ['what-is-sent-again-is-new', 'open, ms + Date.now() - this.acceptedAt)', 'open)'],
    ['a-frame-in-transit-is-younger', 'ms + Date.now() - this.acceptedAt', 'ms'],
    ['calls-of-a-session-that-has-ended-run-on', '    this.turns.clear();\n', ''],
  ]),
  ...inFile('server/answers.ts', [
    ['all-of-a-frame-runs-again', 'if (again?.has(id) === false) continue;', ''],
    [
      'what-uses-an-answered-call-runs-again',
      'if (ageMs === undefined) return super.find(address, running);',
      'if (ageMs !== -1) return super.find(address, running);',
    ],
    ['settled-ids-are-not-told', 'settled?.(peer, frame[1]);', ''],
  ]),
  ...inFile('server/members.ts', [
    ['everything-may-run-again', 'const isAgain = running.ageMs !== undefined;', 'const isAgain = false;'],
    ['idempotent-methods-may-not-run-again', "|| declared?.delivery === 'again') return;", ') return;'],
    [
      'what-is-in-front-of-an-exactly-once-call-runs-again',
      "if (isLast && (!isAgain || declared?.delivery === 'once')) return;",
      "if (isLast || declared?.delivery === 'once') return;",
    ],
    [
      'guards-are-not-asked',
      'return declared.isDelivered\n    ?',
      'return declared.isDelivered && declared.delivery === "once"\n    ?',
    ],
  ]),
  ...inFile('server/deliver.ts', [
    [
      'what-runs-exactly-once-runs-on-references',
      'if (isStored && !isOnPlace) {',
      'if (isStored && !isOnPlace && client === null) {',
    ],
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
    ['a-close-is-not-answered', 'socket.close(code === NO_CODE || code === CLOSE_ABNORMAL ? CLOSE_NORMAL : code);', ''],
    [
      'ended-connections-are-found',
      'if (found !== undefined && !found.isOver) this.known',
      'if (found !== undefined) this.known',
    ],
  ]),
  ...inFile('server/sockets.ts', [
    [
      'a-woken-socket-has-no-client',
      'new ClientSocket(socket, caller, client, maxBytes)',
      'new ClientSocket(socket, caller, undefined, maxBytes)',
    ],
  ]),
  ...inFile('server/rpc-server.ts', [
    [
      'a-new-connection-acknowledges-nothing',
      'if (client.attempt > 1) this.stored.acknowledge(client, client.settled);',
      '',
    ],
    ['connections-before-are-not-superseded', 'connections.supersede(client);', ''],
    ['frames-behind-the-end-are-served', 'if (connection.isOver) return true;', ''],
    [
      'what-fails-refuses-for-good',
      '(connection ?? socket).close(CLOSE_INTERNAL,',
      '(connection ?? socket).close(CLOSE_POLICY_,',
    ],
  ]),
  ...inFile('client/client.ts', [
    ['a-frame-is-sent-without-end', 'const MAX_SENT = 3;', 'const MAX_SENT = 300;'],
    ['a-frame-is-sent-once', 'const MAX_SENT = 3;', 'const MAX_SENT = 1;'],
    ['bound-frames-are-sent-again', '? !isBound && sent <', '? sent <'],
    [
      'frames-from-a-notice-count-as-sent',
      'if (frame.firstId < from || frame.sent <= 0) continue;',
      'if (frame.firstId <= from + 1000 || frame.sent <= 0) continue;',
    ],
    [
      'an-attempt-that-is-over-counts',
      'const isCurrent = () => attempt === this.#attempt;',
      'const isCurrent = () => attempt !== undefined;',
    ],
  ]),
  ...inFile('client/loss.ts', [['every-close-is-final', 'isTemporary: !isFinal,', 'isTemporary: false,']]),
  ...inFile('client/client-calls.ts', [
    ['what-was-given-up-waits', 'if (isOpen && frame!.sent <= 0)', 'if (isOpen && frame!.sent < -1)'],
    [
      'answered-calls-are-sent-again',
      '"open":[${open}]',
      '"open":[${Array.from({ length: 100 }, (_, at) => frame.firstId + at)}]',
    ],
  ]),
];
