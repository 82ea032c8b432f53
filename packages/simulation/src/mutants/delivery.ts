import type { Mutant } from './mutant.ts';

const STORED_RESULTS = 'packages/rpc/src/server/delivery/stored-results.ts';
const CLIENT_SESSION = 'packages/rpc/src/client/session.ts';

/** Defects in how often calls run, and in what their callers are told. */
export const DELIVERY: readonly Mutant[] = [
  {
    name: 'the-result-of-an-exactly-once-call-is-stored-outside-of-a-transaction',
    file: STORED_RESULTS,
    find: 'result = this.#storage.transactionSync(() => {',
    replace: 'const apart = (job: () => unknown) => job(); result = apart(() => {',
  },
  {
    name: 'stored-results-are-not-looked-for-after-the-object-has-woken',
    file: STORED_RESULTS,
    find: 'const [row] = this.#exec<Row>(query, client, callId);',
    replace: 'const [row] = this.#totals === undefined ? [] : this.#exec<Row>(query, client, callId);',
  },
  {
    name: 'results-of-other-clients-go-with-those-that-have-arrived',
    file: STORED_RESULTS,
    find: "'DELETE FROM lumenize_rpc_results WHERE client = ? AND call = ?', client.name, callId",
    replace: "'DELETE FROM lumenize_rpc_results WHERE call = ?', callId",
  },
  {
    name: 'a-client-that-leaves-takes-the-results-of-all-clients-along',
    file: STORED_RESULTS,
    find: "'DELETE FROM lumenize_rpc_results WHERE client = ?', client.name",
    replace: "'DELETE FROM lumenize_rpc_results'",
  },
  {
    name: 'a-call-whose-result-was-dropped-for-want-of-room-runs-again',
    file: STORED_RESULTS,
    find: 'totals.droppedUntil = Math.max(totals.droppedUntil, until);',
    replace: '',
  },
  {
    name: 'the-object-forgets-in-its-sleep-that-results-were-dropped',
    file: STORED_RESULTS,
    find: 'droppedUntil: dropped?.at ?? 0 };',
    replace: 'droppedUntil: 0 };',
  },
  {
    name: 'the-newest-results-are-dropped-first',
    file: STORED_RESULTS,
    find: 'ORDER BY at"',
    replace: 'ORDER BY at DESC"',
  },
  {
    name: 'stored-results-are-never-dropped-however-many-they-are',
    file: STORED_RESULTS,
    find: 'count > maxResults ||',
    replace: '',
  },
  {
    name: 'what-was-dropped-is-forgotten-for-how-long-a-frame-was-under-way',
    file: STORED_RESULTS,
    find: 'since - (call.ageMs ?? 0) <= droppedUntil',
    replace: 'Date.now() - (call.ageMs ?? 0) <= droppedUntil',
  },
  {
    name: 'a-call-that-may-have-run-runs-again-whatever-its-method-says',
    file: 'packages/rpc/src/server/delivery/deliver.ts',
    find: "store === undefined ? delivery !== 'idempotent' : call.isPassing",
    replace: 'store !== undefined && call.isPassing',
  },
  {
    name: 'an-idempotent-call-is-not-made-again',
    file: 'packages/rpc/src/server/access/served-target.ts',
    find: 'isGetter || restorable || readOnly || idempotent\n',
    replace: 'isGetter || restorable || readOnly\n',
  },
  {
    name: 'an-exactly-once-method-is-delivered-as-an-idempotent-one',
    file: 'packages/rpc/src/server/access/served-target.ts',
    find: "? 'exactlyOnce'\n",
    replace: "? 'idempotent'\n",
  },
  {
    name: 'a-call-runs-when-what-it-waited-for-is-there-although-it-is-over',
    file: 'packages/rpc/src/session/incoming/current-call.ts',
    find: 'if (over !== undefined) throw over;',
    replace: '',
  },
  {
    name: 'steps-are-not-found-that-a-chain-needs-when-it-is-made-again',
    file: 'packages/rpc/src/server/delivery/run-again.ts',
    find: 'if (address > 0) needed.add(place - address);',
    replace: 'if (address > 1) needed.add(place - address);',
  },
  {
    name: 'calls-that-have-been-sent-are-taken-for-calls-that-have-not',
    file: 'packages/rpc/src/session/outgoing/call-table.ts',
    find: 'return mayHaveRun && frame?.sent ? outcomeUnknown(call, reason) : reason;',
    replace: 'return reason;',
  },
  {
    name: 'a-close-by-the-application-is-taken-for-proof-that-nothing-ran',
    file: 'packages/rpc/src/client/loss.ts',
    find: 'const isRefused = (!wasOpen || !canProbe) && code',
    replace: 'const isRefused = code',
  },
  {
    name: 'calls-about-references-are-made-over-the-next-connection',
    file: 'packages/rpc/src/session/outgoing/call-table.ts',
    find: 'if (isResumed && !call.isBound &&',
    replace: 'if (isResumed &&',
  },
  {
    name: 'calls-that-pass-functions-are-made-again-without-them',
    file: 'packages/rpc/src/session/outgoing/outgoing.ts',
    find: 'if (this.#isBound || passed !== undefined)',
    replace: 'if (this.#isBound)',
  },
  {
    name: 'frames-are-sent-again-as-if-for-the-first-time',
    file: CLIENT_SESSION,
    find: 'const isWhole = !sent &&',
    replace: 'const isWhole =',
  },
  {
    name: 'a-frame-that-is-sent-again-does-not-say-how-old-it-is',
    file: CLIENT_SESSION,
    find: 'frame.sent ? since(frame.sentAt!) : undefined',
    replace: 'undefined',
  },
  {
    name: 'frames-that-were-sent-are-not-noted-as-sent',
    file: CLIENT_SESSION,
    find: 'frame.sent = true;\n    this.send(',
    replace: 'this.send(',
  },
  {
    name: 'frames-are-sent-again-in-the-wrong-order',
    file: CLIENT_SESSION,
    find: 'a.firstId - b.firstId',
    replace: 'b.firstId - a.firstId',
  },
  {
    name: 'a-close-by-the-application-is-taken-for-the-clients-own-goodbye',
    file: 'packages/rpc/src/server/durable-server.ts',
    find: 'return this.#serving.connections.close(socket, code);',
    replace:
      'const from = this.#serving.connections.ofSocket(socket); if (code === 1000 && from?.client !== undefined && !from.isOver) this.#serving.results.of(from.client).forget(); return this.#serving.connections.close(socket, code);',
  },
  {
    name: 'a-client-that-leaves-does-not-say-so',
    file: 'packages/rpc/src/extensions/exactly-once/index.ts',
    find: 'outgoing.signal([LEAVE]);',
    replace: '{}',
  },
  {
    name: 'an-exactly-once-method-whose-check-takes-time-runs-after-it-was-reported-as-not-stored',
    file: 'packages/rpc/src/server/delivery/deliver.ts',
    find: 'checking = checked;\n      throw CHECKING;',
    replace: 'return checked.then((given) => run(given));',
  },
  {
    name: 'an-exactly-once-method-whose-check-takes-time-is-not-stored',
    file: 'packages/rpc/src/server/delivery/deliver.ts',
    find: 'runThroughout(call, () => store.run(call, name, args, () => run(checked)), undefined, [], true)',
    replace: 'runThroughout(call, run, undefined, [checked])',
  },
  {
    name: 'results-that-have-arrived-are-never-acknowledged',
    file: 'packages/rpc/src/extensions/exactly-once/index.ts',
    find: 'if (ids.length === 0) return;',
    replace: 'return;',
  },
  {
    name: 'stored-results-of-steps-are-never-acknowledged',
    file: 'packages/rpc/src/session/incoming/incoming.ts',
    find: 'if (call.isStored) this.#begin().write(STORED_STEP_ENTRY, call.callId);',
    replace: ';',
  },
  {
    name: 'stored-results-are-dropped-by-their-number-alone',
    file: STORED_RESULTS,
    find: '|| bytes > maxBytes;',
    replace: ';',
  },
  {
    name: 'calls-of-a-frame-run-in-one-event-although-they-wait',
    file: 'packages/rpc/src/session/incoming/run.ts',
    find: 'return this.isExpected ? undefined : pending;',
    replace: 'return undefined;',
  },
  {
    name: 'a-stored-result-is-not-marked-as-one-when-it-is-sent-again',
    file: 'packages/rpc/src/server/delivery/run-again.ts',
    find: 'isStored: outcome?.ok === true && !isUnwanted',
    replace: 'isStored: false',
  },
  {
    name: 'calls-that-have-effects-run-with-the-request-for-a-connection',
    file: 'packages/rpc/src/server/connections/early-calls.ts',
    find: 'member?.isReadOnly === true',
    replace: 'member?.method !== undefined',
  },
  {
    name: 'what-is-on-its-way-over-an-older-connection-runs',
    file: 'packages/rpc/src/server/connections/connections.ts',
    find: 'connection.markEnded(true);',
    replace: ';',
  },
  {
    name: 'an-upgrade-that-comes-late-takes-the-place-of-a-newer-connection',
    file: 'packages/rpc/src/server/connections/connections.ts',
    find: 'if (before.some((connection) => connection.client!.attempt >= client.attempt)) return false;',
    replace: '',
  },
  {
    name: 'the-calls-of-a-frame-run-last-first-when-it-was-queued',
    file: CLIENT_SESSION,
    find: 'this.waiting.push(frame);',
    replace: 'this.waiting.unshift(frame);',
  },
];
