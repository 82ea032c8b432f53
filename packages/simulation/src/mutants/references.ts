import { inFile, type Mutant } from './mutant.ts';

/** Defects of references, steps and chains. */
export const REFERENCES: readonly Mutant[] = [
  ...inFile('server/session.ts', [
    ['a-woken-session-gives-the-same-ids-again', 'Math.floor((Date.now() / 1000 - EPOCH_SECONDS) * IDS_A_SECOND)', '1'],
    ['a-session-that-has-ended-holds-what-it-held', 'this.lose(error);', 'void error;'],
  ]),
  ...inFile('server/answers.ts', [
    ['a-place-of-something-passed-is-a-place', 'if (!isOfFrame) return given;', 'if (isOfFrame) return given;'],
    ['steps-found-are-disposed-of', 'if (!FOUND.has(value as object)) super.drop(value);', 'super.drop(value);'],
  ]),
  ...inFile('server/connections.ts', [['a-session-goes-on-after-its-socket', 'connection.session?.closed();', '']]),
  ...inFile('server/rpc-server.ts', [
    ['a-woken-session-is-not-restarted', 'connection.client).restart();', 'connection.client);'],
  ]),
  ...inFile('client/client.ts', [
    ['a-lost-connection-holds-what-it-held', 'else if (goesOn === undefined) this.lose(error);', ''],
  ]),
  ...inFile('peer/references.ts', [
    ['what-is-released-is-kept', 'this.exports.delete(given[at]);', ''],
    ['what-is-released-is-not-disposed-of', 'released.held.dispose(reason);', ''],
    ['one-release-releases-all', 'if (!(released.count <= 0)) continue;', ''],
    ['releases-are-not-sent', 'this.returned.push(id, count);', ''],
    ['a-release-returns-one', 'this.returned.push(id, count);', 'this.returned.push(id, 1);'],
    ['collected-stubs-are-held', 'if (received.epoch === peer.epoch) this.giveBack(received, SENDS_AT_ANY_TIME);', ''],
    ['what-is-received-twice-counts-once', 'found.received.count++;', 'found.received.count = 1;'],
    [
      'what-is-sent-twice-counts-once',
      'if (known !== undefined) known.count++;',
      'if (known !== undefined) known.count += 0;',
    ],
    [
      'a-reference-is-passed-under-two-ids',
      'const id = this.ids.get(key) ?? this.nextId++;',
      'const id = this.nextId++;',
    ],
    [
      'one-reference-too-many',
      'if (this.exports.size >= limits.maxReferences &&',
      'if (this.exports.size > limits.maxReferences &&',
    ],
    ['what-is-passed-is-not-bound', '    writer.isBound = true;\n    writer.sent', '    writer.sent'],
    ['the-target-of-a-connection-is-disposed-of', 'this.peer.target !== value && disposeOf(value)', 'disposeOf(value)'],
    [
      'references-of-an-ended-connection-are-held',
      'for (const { held } of this.exports.values()) held.dispose(reason);',
      '',
    ],
    ['signals-are-never-aborted', "signal.addEventListener('abort', abort);\n    stop", 'stop'],
    [
      'a-stub-of-the-other-side-is-passed-as-another',
      'parts: [id] };\n  }\n  const isFunction',
      'parts: [id + 1] };\n  }\n  const isFunction',
    ],
    [
      'disposing-does-nothing',
      'if (this.disposed !== undefined) return;\n    this.disposed',
      'return;\n    this.disposed',
    ],
  ]),
  ...inFile('peer/answers.ts', [
    [
      'nothing-is-kept-of-a-chain',
      'if (at < steps.length && call.kept >= 0) this.keep(',
      'if (at > steps.length && call.kept >= 0) this.keep(',
    ],
    ['too-many-steps-are-kept', 'if (kept.size > MAX_KEPT)', 'if (kept.size > MAX_KEPT * 10)'],
    ['too-few-steps-are-kept', 'if (kept.size > MAX_KEPT)', 'if (kept.size > 3)'],
    [
      'what-comes-too-late-is-held',
      '(waiting.delete(call.callId) ? go(value) : this.drop(value))',
      'waiting.delete(call.callId) && go(value)',
    ],
    [
      'what-comes-too-late-is-sent',
      '(waiting.delete(call.callId) ? go(value) : this.drop(value))',
      '(waiting.delete(call.callId), go(value))',
    ],
    [
      'targets-that-cannot-be-sent-are-held',
      'for (const unsent of [value, ...(sent?.keys() ?? [])]) this.drop(unsent);',
      '',
    ],
    ['answers-leave-with-wrong-ids', 'callId === this.next ? `,${text}`', 'callId !== -1 ? `,${text}`'],
    ['an-error-is-a-value', ',"!":1}`', ',"?":1}`'],
    ['a-fetched-step-is-held-twice', "isTarget(value)) this.kept.delete(address.join('.'));", 'isTarget(value));'],
  ]),
  ...inFile('peer/peer.ts', [
    [
      'an-aborted-signal-does-not-stop-a-call',
      'if (options?.signal?.aborted) {',
      'if (options?.signal?.aborted === null) {',
    ],
    ['answers-go-to-the-call-behind', 'id = answer.$;', 'id = (answer.$ as number) + 1;'],
    ['a-step-takes-the-place-of-the-one-before', '`[${base.id},${base.depth}]`', '`[${base.id},0]`'],
    [
      'a-lost-connection-keeps-its-answers',
      '    this.answers?.lose(reason);\n    const { references }',
      '    const { references }',
    ],
  ]),
  ...inFile('peer/limit.ts', [
    ['a-time-limit-does-nothing', "giveUp(new RpcError('TIMED_OUT'", "void (new RpcError('TIMED_OUT'"],
    ['a-signal-does-nothing', "signal?.addEventListener('abort', abort);", ''],
  ]),
];
